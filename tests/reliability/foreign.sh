#!/usr/bin/env bash
# Tests the engine for systems that this one is not, on Debian on x86-64:
#
#     tests/reliability/foreign.sh [windows] [arm]
#
# Windows under Wine, ARM Linux under QEMU: the engine's tests, and the signatures
# of `petard bench`. What cannot be installed is skipped with a sentence. Programs
# that tests start run by themselves under Wine; under QEMU the kernel must know it
# (binfmt_misc), by Debian's qemu-user-binfmt or, from Linux 6.7, in a namespace of
# this script's own. Where neither works, only tests that start none are run.
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

# Runs a check: what it is, and its command. All are run; what failed is named at
# the end.
failed=()
check() {
    local status
    # Not as a condition: `set -e` has no effect within one.
    set +e
    (
        set -e
        "${@:2}"
    )
    status=$?
    set -e
    if [ "$status" -ne 0 ]; then failed+=("$1"); fi
}

# Compares the signatures: signatures RUNNER... PROGRAM
signatures() {
    local variant expected line
    while read -r variant expected; do
        line=$("$@" bench "$variant" </dev/null | tr -d '\r' | tail -n 1)
        echo "$variant: $line"
        [ "${line%% *}" = "$expected" ]
    done <tests/data/bench.txt
}

# Tries the tools with files whose names are hard, and the server: tools SEPARATOR
# RUNNER... PROGRAM. A path of the system has this separator.
tools() {
    local separator=$1 name="zwei Böcke & 🐐" address
    shift
    export LC_ALL=C.UTF-8
    folder=$(mktemp -d)
    pid=
    trap 'if [ -n "$pid" ]; then kill "$pid" || true; wait "$pid" || true; fi; rm -r "$folder"' EXIT
    cd "$folder"
    mkdir "$name"
    "$@" solve --board 4x4 --certificate "$name${separator}4 x 4.proof" --quiet </dev/null
    "$@" check "$name${separator}4 x 4.proof" --quiet </dev/null
    for positions in 100 200; do
        "$@" datagen "$name${separator}ä.bin" --positions "$positions" --nodes 50 --threads 1 </dev/null
    done
    printf 'position startpos\ngo nodes 1000\n' | "$@" | grep '^bestmove '
    ls -l "$name"
    "$@" serve --port 0 >address </dev/null &
    pid=$!
    for _ in {1..600}; do
        address=$(tr -d '\r' <address | grep -o 'http://[^ ]*' | head -n 1) || true
        if [ -n "$address" ]; then break; fi
        sleep 0.1
    done
    curl --fail --silent --show-error "$address" | grep -o '<html[^>]*>'
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
    check "tests for Windows" cargo test --release --locked --target "$triple" --no-fail-fast
    check "signatures on Windows" signatures "$wine" "$CARGO_TARGET_DIR/$triple/release/petard.exe"
    check "tools on Windows" tools '\' "$wine" "$CARGO_TARGET_DIR/$triple/release/petard.exe"
}

# Runs a command where the kernel starts programs for ARM in QEMU.
with_arm() {
    local handler=/proc/sys/fs/binfmt_misc/qemu-aarch64
    if [ -e "$handler" ]; then
        "$@"
    else
        unshare --user --map-root-user --mount bash -euc '
            mount -t binfmt_misc binfmt_misc "${1%/*}"
            printf %s "$2" >"${1%/*}/register"
            "${@:3}"' bash "$handler" "$ARM" "$@"
    fi
}
# The header of a program for ARM, which bits of it matter, and what runs it.
ARM=':qemu-aarch64:M:'
ARM+=':\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
ARM+=':\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
ARM+=':/usr/bin/qemu-aarch64:'

arm() {
    local triple=aarch64-unknown-linux-musl run=(with_arm) tests=(--test '*')
    if ! has qemu-user || ! rustup target add "$triple"; then
        echo "skipped: ARM, as qemu-user or the compiler's target cannot be installed"
        return
    fi
    if ! with_arm true; then
        echo "skipped: what starts petard, as this system lets nobody register QEMU"
        run=()
        tests=(--test search)
    fi
    # The compiler brings all that a static program needs, its linker too.
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64
    # QEMU itself needs more memory than these leave it. Nor does it give back what a program
    # frees (7.2): each part of the library is tested by a process of its own.
    local skipped=() name
    for name in no_memory_for_it too_little_memory a_proof_without_threads_ends scarce_address_space; do
        skipped+=(--skip "$name")
    done
    local cargo=("${run[@]}" cargo test --release --locked --target "$triple" --no-fail-fast) part
    for part in $("${cargo[@]}" --lib -- --list | sed -n 's/::.*: test$//p' | sort -u); do
        check "tests of $part for ARM" "${cargo[@]}" --lib -- "$part::" "${skipped[@]}"
    done
    check "tests for ARM" "${cargo[@]}" "${tests[@]}" -- "${skipped[@]}"
    if [ ${#run[@]} -gt 0 ]; then
        check "tests of the documentation for ARM" "${cargo[@]}" --doc
    fi
    check "signatures on ARM" signatures qemu-aarch64 "$CARGO_TARGET_DIR/$triple/release/petard"
    check "tools on ARM" tools / qemu-aarch64 "$CARGO_TARGET_DIR/$triple/release/petard"
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
if [ "${#failed[@]}" -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}"
    exit 1
fi
