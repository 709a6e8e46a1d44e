#!/usr/bin/env bash
# Mutation testing of one part, or of one mutant in N of it, starting with the K-th:
#
#     tests/reliability/mutants.sh game|solve|tt|protocol|check [N [K]]
#     tests/reliability/mutants.sh PART again FILE
#
# Needs cargo-mutants and cargo-nextest. Works on the last commit, in a tree of its own,
# target/mutants/tree. Each mutant is run against the part's own tests except the slow ones,
# with little optimisation; survivors are in target/mutants/tree/mutants.out/missed.txt.
# `again` runs the mutants in such a file against all of the part's tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
slow='nothing_can_be_kept|built_in_proofs|of_other_positions|wrong_is_refused_with|that_was_killed|exhaustive_search|what_is_used_of|goes_on_from_the_table|of_the_literature|that_they_took|wrong_anywhere|to_win_wins|memory_cannot|no_memory|lower_rating|every_host|stop_even_when|a_search_that_somebody|many_sessions|perft_|random_positions|facts_hold|conforms|fuzz::sessions|random_sessions|it_races|it_lifecycle|it_robustness|it_serve|it_engine|the_replay_finds'
case "${1:-}" in
    game)
        files='src/game/**'
        all='game::|it_hosted::the_nodes_are'
        ;;
    solve)
        files='src/solve/**'
        all='solve::|it_prove|it_short_files|it_proofs'
        ;;
    tt)
        files='src/search/tt.rs'
        all='search::tt|it_hosted::the_nodes_are'
        ;;
    protocol)
        files='src/protocol/**'
        all='protocol::|it_(answers|engine|extensions|hosted|lifecycle|proofs|protocol|robustness|transcripts|serve|races|random_sessions)|refusals'
        ;;
    check)
        files='src/tools/checker/**'
        all='tools::check|solve::tests|fuzz::certificates'
        ;;
    *)
        sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
# This one does not apply on a machine that grants no more memory than it has.
tests="test(/^($all)/) - test(/machines_memory_cannot_be_read/)"
arguments=(--file "$files")
profile=default least=60
if [ "${2:-}" = again ]; then
    profile=again least=600
    # A mutant is selected by a regular expression: its name, escaped.
    while IFS= read -r name; do
        name=$(sed 's/[][\.*^$+?(){}|/]/\\&/g' <<<"$name")
        arguments+=(--re "^$name\$")
    done <"$3"
else
    tests="($tests) - test(/$slow/)"
    [ -z "${2:-}" ] || arguments+=(--sharding round-robin --shard "${3:-0}/$2")
fi

place=$PWD/target/mutants
settings=$PWD/tests/reliability/nextest.toml
harness=$PWD/tests/reliability/mutants.rs
mkdir -p "$place/tmp"
[ -d "$place/tree" ] || git worktree add --quiet --detach "$place/tree"
git -C "$place/tree" checkout --quiet --detach --force "$(git rev-parse HEAD)"
cat "$harness" >>"$place/tree/src/lib.rs"
cat >"$place/petard" <<'EOF'
#!/bin/sh
trap '' PIPE
export PETARD_MAIN=1
exec "${0%/*}/tests" "$@"
EOF
chmod +x "$place/petard"
cd "$place/tree"
# What cargo tells the tests in tests/.
export CARGO_BIN_EXE_petard=$place/petard CARGO_TARGET_TMPDIR=$place/tmp
# Many small codegen units, and no LTO even within a crate: each mutant recompiles little,
# and LTO does not invalidate the compiler's incremental state.
export CARGO_INCREMENTAL=1 CARGO_PROFILE_TEST_OPT_LEVEL=1 CARGO_PROFILE_TEST_LTO=off
export CARGO_PROFILE_TEST_DEBUG=false CARGO_PROFILE_TEST_CODEGEN_UNITS=4096 CARGO_TARGET_DIR=$place/build
program=$(cargo test --locked --lib --no-run 2>&1 | sed -n 's/^ *Executable .*(\(.*\))$/\1/p')
ln -sf "$program" "$place/tests"
exec cargo mutants --in-place --test-tool nextest --timeout-multiplier 3 --minimum-test-timeout $least \
    --colors never --cargo-arg=--lib "${arguments[@]}" -- --config-file "$settings" --profile $profile -E "$tests"
