
// What mutants.sh appends to src/lib.rs in its own copy of the sources: the tests that
// drive the engine from outside, built into the library's own test program, which also
// acts as the program `petard` if PETARD_MAIN is set. So each mutant costs one build.
#[cfg(test)]
extern crate self as petard;
/// Runs before the test program's own `main`.
#[cfg(test)]
#[used]
#[allow(unsafe_code)]
#[unsafe(link_section = ".init_array")]
static MAIN: extern "C" fn() = {
    extern "C" fn main() {
        if std::env::var_os("PETARD_MAIN").is_some() {
            let code = format!("{:?}", crate::command::run(std::env::args_os()));
            let number: String = code.chars().filter(char::is_ascii_digit).collect();
            std::process::exit(number.parse().unwrap_or(99));
        }
    }
    main
};
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;
#[cfg(test)]
use common::reference;
#[cfg(test)]
#[path = "../tests/engine/answers.rs"]
mod it_answers;
#[cfg(test)]
#[path = "../tests/engine/engine.rs"]
mod it_engine;
#[cfg(test)]
#[path = "../tests/engine/extensions.rs"]
mod it_extensions;
#[cfg(test)]
#[path = "../tests/engine/hosted.rs"]
mod it_hosted;
#[cfg(test)]
#[path = "../tests/engine/in_process.rs"]
mod in_process;
#[cfg(test)]
#[path = "../tests/engine/lifecycle.rs"]
mod it_lifecycle;
#[cfg(test)]
#[path = "../tests/engine/proofs.rs"]
mod it_proofs;
#[cfg(test)]
#[path = "../tests/engine/protocol.rs"]
mod it_protocol;
#[cfg(test)]
#[path = "../tests/engine/races.rs"]
mod it_races;
#[cfg(test)]
#[path = "../tests/engine/random_sessions.rs"]
mod it_random_sessions;
#[cfg(test)]
#[path = "../tests/engine/refusals.rs"]
mod refusals;
#[cfg(test)]
#[path = "../tests/engine/robustness.rs"]
mod it_robustness;
#[cfg(test)]
#[path = "../tests/engine/serve/mod.rs"]
mod it_serve;
#[cfg(test)]
#[path = "../tests/engine/session_model.rs"]
mod session_model;
#[cfg(test)]
#[path = "../tests/engine/sharing.rs"]
mod it_sharing;
#[cfg(test)]
#[path = "../tests/engine/transcripts.rs"]
mod it_transcripts;
#[cfg(test)]
#[path = "../tests/solve/book.rs"]
mod it_book;
#[cfg(test)]
#[path = "../tests/solve/certificates.rs"]
mod it_certificates;
#[cfg(test)]
#[path = "../tests/solve/prove.rs"]
mod it_prove;
#[cfg(test)]
#[path = "../tests/solve/short.rs"]
mod it_short;
#[cfg(test)]
use it_short as short;
#[cfg(test)]
#[path = "../tests/solve/short_files.rs"]
mod it_short_files;
#[cfg(test)]
#[path = "../tests/solve/signature.rs"]
mod it_signature;
#[cfg(test)]
#[path = "../tests/solve/solve.rs"]
mod it_solve;
#[cfg(test)]
#[path = "../tests/tools/command_line.rs"]
mod it_command_line;
#[cfg(test)]
#[path = "../tests/tools/faults.rs"]
mod it_faults;
#[cfg(test)]
#[path = "../tests/fuzz/main.rs"]
mod it_fuzz;
#[cfg(test)]
#[path = "../tests/game/main.rs"]
mod it_game;
