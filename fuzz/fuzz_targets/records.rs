#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (petard::fuzz_targets::records::TARGET.run)(data));
