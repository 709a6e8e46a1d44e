
// What mutants.sh appends to src/lib.rs in its own copy of the sources: the tests that
// drive the engine from outside, built into the library's own test program, which also
// acts as the program `petard` if PETARD_MAIN is set. So each mutant costs one build.
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
#[path = "../tests/engine/transcripts.rs"]
mod it_transcripts;
#[cfg(test)]
#[path = "../tests/solve/prove.rs"]
mod it_prove;
#[cfg(test)]
#[path = "../tests/solve/short_files.rs"]
mod it_short_files;
#[cfg(test)]
#[path = "../tests/tools/command_line.rs"]
mod it_command_line;
#[cfg(test)]
#[path = "../tests/tools/faults.rs"]
mod it_faults;
