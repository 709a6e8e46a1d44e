#!/usr/bin/env bash
# Runs tests under a sanitizer:
#
#     tests/reliability/sanitize.sh address|thread [ARGUMENT OF cargo test ...]
#
# Needs a nightly toolchain; for `thread` also rust-src, since the standard
# library must be compiled with it. Without arguments: the tests with threads
# or unsafe code, in the library and in the program.
set -euo pipefail
cd "$(dirname "$0")/../.."
case "${1:-}" in
    address) build=() ;;
    thread) build=(-Zbuild-std) ;;
    *)
        sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
sanitizer=$1
shift
arguments=("$@")
[ $# -gt 0 ] || arguments=(--lib --test engine --test search --test solve --test tools)
case " $* " in *" -- "*) ;; *) arguments+=(--) ;; esac
# No sanitizer starts if address space is limited or the system cannot be queried.
for test in no_memory_for_it memory_cannot_be_read too_little_memory memory_that_cannot_be_had \
    limits_of_the_system; do
    arguments+=(--skip "$test")
done
export RUSTFLAGS="-Zsanitizer=$sanitizer -C target-cpu=x86-64-v2"
export CARGO_TARGET_DIR="target/$sanitizer"
export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1"
export TSAN_OPTIONS="halt_on_error=1:history_size=4"
exec cargo +nightly test --locked --no-fail-fast --target x86_64-unknown-linux-gnu "${build[@]}" "${arguments[@]}"
