//! The fuzz targets without a fuzzer: their seeds, past findings, and random
//! mutations of both. `PETARD_TEST_FACTOR` multiplies the number of mutations
//! of each seed; `fuzz/run` does coverage-guided fuzzing.
use crate::fuzz_targets::{self as targets, TARGETS, Target};
use rand_mt::Mt64;
use std::fs;
use std::panic;
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long one input may take before it counts as a hang. Machines that run
/// tests can be very busy.
const PATIENCE: Duration = Duration::from_secs(300);

fn factor() -> usize {
    std::env::var("PETARD_TEST_FACTOR").map_or(1, |text| text.parse().unwrap())
}

fn below(random: &mut Mt64, bound: usize) -> usize {
    (random.next_u64() % bound.max(1) as u64) as usize
}

/// Panics in any thread. A search survives its own and still answers.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            // Another test of the same program panics on purpose.
            let is_meant = what.payload().downcast_ref() == Some(&"this panic is meant");
            PANICS.fetch_add(usize::from(!is_meant), Relaxed);
            usual(what);
        }));
    });
}

/// Runs the target on a thread of its own and waits for it to finish.
fn run(target: &Target, what: &str, data: &[u8]) {
    let (done, end) = channel();
    let (run, owned) = (target.run, data.to_vec());
    let thread = std::thread::spawn(move || {
        run(&owned);
        let _ = done.send(());
    });
    if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
        panic!(
            "{}, {what}: no end; its input is {:?}",
            target.name,
            Text(data)
        );
    }
    if thread.join().is_err() || PANICS.load(Relaxed) > 0 {
        panic!(
            "{}, {what}: a panic; its input is {:?}",
            target.name,
            Text(data)
        );
    }
}

/// Bytes as a Rust literal, truncated if too long to read.
struct Text<'a>(&'a [u8]);

impl std::fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = &self.0[..self.0.len().min(4000)];
        write!(f, "b\"{}\" ({} bytes)", shown.escape_ascii(), self.0.len())
    }
}

/// The bytes with some of them changed, inserted, removed or repeated.
fn changed(random: &mut Mt64, target: &Target, seeds: &[Vec<u8>], data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    for _ in 0..=below(random, 5) {
        let place = below(random, bytes.len() + 1);
        let end = place + below(random, (bytes.len() - place + 1).min(40));
        match below(random, 9) {
            0 if !bytes.is_empty() => {
                let place = place.min(bytes.len() - 1);
                bytes[place] ^= 1 << below(random, 8);
            }
            1 if !bytes.is_empty() => {
                let place = place.min(bytes.len() - 1);
                bytes[place] = random.next_u64() as u8;
            }
            2 => drop(bytes.drain(place..end)),
            3 => {
                let part = bytes[place..end].to_vec();
                bytes.splice(place..place, part);
            }
            4 => bytes.truncate(place),
            5 => {
                let other = &seeds[below(random, seeds.len())];
                let from = below(random, other.len() + 1);
                bytes.truncate(place);
                bytes.extend_from_slice(&other[from..]);
            }
            6 => {
                let count = below(random, 9);
                let noise: Vec<u8> = (0..count).map(|_| random.next_u64() as u8).collect();
                bytes.splice(place..place, noise);
            }
            _ => {
                let words: Vec<&str> = target.words.split('|').collect();
                let word = words[below(random, words.len())];
                bytes.splice(place..end.min(place + word.len()), word.bytes());
            }
        }
    }
    bytes
}

/// The findings of past fuzzing, one file each.
fn found(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fuzz/found")
        .join(target.name);
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap()))
        .collect()
}

/// Runs the seeds, the findings, and `changes` mutations of each.
fn try_out(name: &str, changes: usize) {
    count_panics();
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let mut seeds = (target.seeds)();
    let mut random = Mt64::new(22);
    let (mut lines, mut bytes) = (0, 0);
    for (index, seed) in seeds.iter().enumerate() {
        run(target, &format!("seed {index}"), seed);
    }
    for (name, data) in found(target) {
        run(target, &name, &data);
        seeds.push(data);
    }
    for number in 0..factor() * changes {
        let seed = &seeds[below(&mut random, seeds.len())];
        let data = changed(&mut random, target, &seeds, seed);
        lines += data.iter().filter(|&&byte| byte == b'\n').count();
        bytes += data.len();
        run(target, &format!("change {number}"), &data);
    }
    let inputs = factor() * changes;
    println!("{name}: {inputs} inputs, {lines} lines, {bytes} bytes");
}

#[test]
fn sessions() {
    try_out("session", 1500);
}

#[test]
fn positions() {
    try_out("positions", 20_000);
}

#[test]
fn networks() {
    // Of every kind of file there are some that are networks.
    let seeds = (targets::network::TARGET.seeds)();
    for kind in 1..=4 {
        let of_kind = seeds.iter().filter(|seed| seed[0] == kind);
        let accepted = of_kind.filter(|seed| targets::network::is_accepted(seed));
        assert!(accepted.count() > 0, "kind {kind}");
    }
    try_out("network", 2000);
}

#[test]
fn records() {
    try_out("records", 20_000);
}

#[test]
fn tables() {
    try_out("table", 1000);
}

#[test]
fn certificates() {
    try_out("certificate", 5000);
}

#[test]
fn proofs() {
    try_out("proof", 3000);
}

#[cfg(feature = "serve")]
#[test]
fn servers() {
    try_out("server", 400);
}

/// Sessions of thousands of lines, each a mutated line of a seed, or a stop.
#[test]
fn sessions_of_many_lines() {
    const LINES: usize = 5000;
    count_panics();
    let target = &targets::session::TARGET;
    let seeds: Vec<Vec<u8>> = (target.seeds)()
        .iter()
        .flat_map(|seed| seed.split_inclusive(|&byte| byte == b'\n'))
        .map(<[u8]>::to_vec)
        .collect();
    let mut random = Mt64::new(23);
    let (mut lines, mut bytes) = (0, 0);
    for number in 0..4 * factor() {
        let mut data = Vec::new();
        for _ in 0..LINES {
            let seed = &seeds[below(&mut random, seeds.len())];
            match below(&mut random, 16) {
                0 => data.extend_from_slice(b"stop"),
                1..4 => data.extend_from_slice(seed),
                _ => data.extend(changed(&mut random, target, &seeds, seed)),
            }
            data.push(b'\n');
        }
        lines += data.iter().filter(|&&byte| byte == b'\n').count();
        bytes += data.len();
        run(target, &format!("session {number}"), &data);
    }
    println!("{} sessions, {lines} lines, {bytes} bytes", 4 * factor());
}

/// Lines and input that no mutation of a seed reaches.
#[test]
fn sessions_of_extremes() {
    count_panics();
    let target = &targets::session::TARGET;
    let megabyte = |text: &str| text.repeat((1 << 20) / text.len() + 2);
    for (name, data) in [
        ("a line of NULs", vec![0; 3 << 20]),
        ("a line of 0xff", vec![0xff; 3 << 20]),
        (
            "a position without end",
            format!("position startpos moves {}", megabyte("a2a3 ")).into_bytes(),
        ),
        (
            "a go without end",
            format!("go searchmoves {}\nd\n", megabyte("a2a3 ")).into_bytes(),
        ),
        (
            "digits",
            format!("go depth {}", "9".repeat(1 << 19)).into_bytes(),
        ),
        (
            "slashes",
            format!("position fen {} w", "/".repeat(1 << 19)).into_bytes(),
        ),
        (
            "pieces",
            format!("position fen {} w", "p".repeat(1 << 19)).into_bytes(),
        ),
        (
            "an option",
            format!("setoption name {0} value {0}", "x ".repeat(1 << 17)).into_bytes(),
        ),
        (
            "a hundred thousand lines",
            "isready\nd\ngo depth 1\nstop\n".repeat(25_000).into_bytes(),
        ),
    ] {
        run(target, name, &data);
    }
}

/// Writes the seeds and words for `cargo fuzz`; called by `fuzz/run`.
#[test]
#[ignore = "writes files for cargo fuzz"]
fn write_seeds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    for target in TARGETS {
        let folder = fuzz.join("corpus").join(target.name);
        fs::create_dir_all(&folder).unwrap();
        let found = found(target).into_iter().map(|(_, data)| data);
        for (index, seed) in (target.seeds)().into_iter().chain(found).enumerate() {
            fs::write(folder.join(format!("seed-{index}")), seed).unwrap();
        }
        let escaped = |word: &str| -> String {
            let bytes = word.bytes().map(|byte| format!("\\x{byte:02x}"));
            format!("\"{}\"\n", bytes.collect::<String>())
        };
        let words: String = target.words.split('|').map(escaped).collect();
        fs::write(
            fuzz.join("corpus").join(format!("{}.dict", target.name)),
            words,
        )
        .unwrap();
    }
}
