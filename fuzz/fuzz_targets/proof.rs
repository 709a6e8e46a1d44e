#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (petard::fuzz_targets::proof::TARGET.run)(data));
