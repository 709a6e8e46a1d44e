#!/usr/bin/env bash
# Mutation testing of one part, or of one mutant in N of it:
#
#     tests/reliability/mutants.sh game|solve|tt|protocol|check [N [K]]
#     tests/reliability/mutants.sh PART again FILE
#
# Needs cargo-mutants and cargo-nextest. Each mutant meets the unit tests and the
# part's own tests, built with little optimisation and without those that then
# take long; what gets through is in mutants.out/missed.txt. `again` tries the mutants
# of such a file with all of the part's tests. With EXTRA=--in-place the sources are
# changed where they are.
set -euo pipefail
cd "$(dirname "$0")/../.."
level=1
case "${1:-}" in
    game)
        level=0
        files='src/game/**'
        tests=(--no-default-features --lib --test=game)
        slow='perft_equals|perft_values_are|random_positions|facts_hold'
        ;;
    solve)
        files='src/solve/**'
        tests=(--lib --test=solve)
        slow='nothing_can_be_kept|built_in_proofs|of_other_positions|exhaustive_search|that_was_killed|what_is_used_of|goes_on_from_the_table|of_the_literature'
        ;;
    tt)
        files='src/search/tt.rs'
        tests=(--no-default-features --lib --test=search)
        slow='truth|mates|a_narrow_search|nnue::'
        ;;
    protocol)
        files='src/protocol/**'
        tests=(--lib --test=engine)
        slow='a_narrow_search|freeling_play|a_lower_rating|memory_cannot_be_read'
        ;;
    check)
        files='src/tools/check/**'
        tests=(--lib --test=solve --test=tools --test=fuzz)
        slow='nothing_can_be_kept|built_in_proofs|exhaustive_search|that_was_killed|what_is_used_of|goes_on_from_the_table|of_the_literature'
        ;;
    *)
        sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
arguments=(--file "$files") filter=()
# To the build of each mutant, too: it would build all tests otherwise.
for argument in "${tests[@]}"; do arguments+=("--cargo-arg=$argument"); done
export CARGO_INCREMENTAL=1 CARGO_PROFILE_TEST_DEBUG=false CARGO_PROFILE_TEST_CODEGEN_UNITS=64
if [ "${2:-}" = again ]; then
    export CARGO_PROFILE_TEST_OPT_LEVEL=1
    # What only the order of moves depends on shows in the number of nodes.
    if [ "$1" = game ]; then
        arguments=(--file "$files" --cargo-arg=--lib --cargo-arg=--test=game --cargo-arg=--test=engine)
        filter=(-E 'not binary(engine) | test(the_nodes_are_those_of_every_host)')
    fi
    # A mutant is chosen by a regular expression: its name, characters escaped.
    while IFS= read -r name; do
        name=$(sed 's/[][\.*^$+?(){}|/]/\\&/g' <<<"$name")
        arguments+=(--re "^$name\$")
    done <"$3"
else
    export CARGO_PROFILE_TEST_OPT_LEVEL=$level
    filter=(-E "not test(/$slow/)")
    [ -z "${2:-}" ] || arguments+=(--sharding round-robin --shard "${3:-0}/$2")
fi
# shellcheck disable=SC2086
exec cargo mutants --test-tool nextest --timeout-multiplier 3 --minimum-test-timeout 30 --colors never ${EXTRA:-} \
    "${arguments[@]}" -- "${filter[@]}"
