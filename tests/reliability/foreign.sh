#!/usr/bin/env bash
# Tests the engine for systems that this one is not, on Debian on x86-64:
#
#     tests/reliability/foreign.sh [windows] [arm]
#
# Windows under Wine, ARM Linux under QEMU: the engine's tests, and the signatures
# of `petard bench`. What cannot be installed is skipped with a sentence. Programs
# that tests start run by themselves under Wine; under QEMU this needs binfmt_misc
# (Debian's qemu-user-binfmt), and without it only tests that start none are run.
set -euo pipefail
cd "$(dirname "$0")/../.."
systems=("$@")
[ $# -gt 0 ] || systems=(windows arm)
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs packages; returns whether they are there.
has() {
    dpkg --status "$@" >/dev/null 2>&1 ||
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# Compares the signatures: signatures RUNNER... PROGRAM
signatures() {
    while read -r variant expected; do
        line=$("$@" bench "$variant" | tr -d '\r' | tail -n 1)
        echo "$variant: $line"
        [ "${line%% *}" = "$expected" ]
    done <tests/data/bench.txt
}

windows() {
    local triple=x86_64-pc-windows-gnu wine dll
    if ! has mingw-w64 wine64 || ! rustup target add "$triple"; then
        echo "skipped: Windows, as mingw-w64, wine64 or the compiler's target cannot be installed"
        return
    fi
    wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
    export WINEDEBUG=-all WINEPREFIX="$CARGO_TARGET_DIR/wine"
    mkdir -p "$WINEPREFIX"
    "$wine" wineboot --init
    dll="$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll"
    if [ ! -e "$dll" ]; then
        x86_64-w64-mingw32-gcc -shared -o "$dll" tests/reliability/bcryptprimitives.c -ladvapi32
    fi
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER="$wine"
    cargo test --release --locked --target "$triple" --no-fail-fast
    signatures "$wine" "$CARGO_TARGET_DIR/$triple/release/petard.exe"
}

arm() {
    local triple=aarch64-unknown-linux-musl tests=(--lib --test search)
    if ! has qemu-user || ! rustup target add "$triple"; then
        echo "skipped: ARM, as qemu-user or the compiler's target cannot be installed"
        return
    fi
    if [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then tests=(); fi
    # The compiler brings all that a static program needs, its linker too.
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64
    cargo test --release --locked --target "$triple" --no-fail-fast "${tests[@]}"
    cargo build --release --locked --target "$triple"
    signatures qemu-aarch64 "$CARGO_TARGET_DIR/$triple/release/petard"
}

for system in "${systems[@]}"; do
    case $system in
    windows | arm) "$system" ;;
    *)
        echo "usage: tests/reliability/foreign.sh [windows] [arm]" >&2
        exit 2
        ;;
    esac
done
