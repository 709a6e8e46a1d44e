#![no_main]
#![allow(dead_code)]

#[path = "../../tests/common/reference.rs"]
mod reference;
#[path = "../../tests/fuzz/targets/mod.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| (targets::proof::TARGET.run)(data));
