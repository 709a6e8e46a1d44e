#!/usr/bin/env bash
# Runs unsafe code, and what threads share, in the interpreter Miri:
#
#     tests/reliability/miri.sh [TEST ...]
#
# Needs a nightly toolchain with miri and rust-src. Without names: the tests of
# memory, of vector instructions, and of stops and ponder hits.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests=("$@")
[ $# -gt 0 ] || tests=(base:: nnue::simd search::time search::tt::tests::a_proven)
# The processor's features; Miri supports AVX2 and part of AVX-512.
export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+avx2"
export MIRIFLAGS="${MIRIFLAGS:-} -Zmiri-disable-isolation"
exec env CARGO_TARGET_DIR=target/miri \
    cargo +nightly miri test --locked --lib --no-default-features -- "${tests[@]}"
