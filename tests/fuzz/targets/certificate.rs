//! Certificates: the checker's reader and its search.

use super::Target;
use crate::checker::check;

pub const TARGET: Target = Target {
    name: "certificate",
    run,
    seeds,
    words: "breakthrough certificate 1\n|fen |winner white\n|winner black\n|depth 1\n|depth 3\n|\
        entries 0\n|entries 1\n|entries 4294967295\n|\n\n|pp/pp/2/PP/PP w 0 1|128/|64/64|\
        \u{80}\u{80}|\u{ff}|18446744073709551616",
};

/// The smallest certificates from the checkers' tests.
fn seeds() -> Vec<Vec<u8>> {
    let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let corpus = include_str!("../../data/certificates.tsv");
    let lines = corpus.lines().filter(|line| !line.starts_with('#'));
    let data = lines.map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let mut data = fields[2]
            .replace("\\n", "\n")
            .replace("\\r", "\r")
            .into_bytes();
        data.extend(fields[3].as_bytes().chunks(2).map(digits));
        data
    });
    data.filter(|data| data.len() < 1000).collect()
}

fn run(data: &[u8]) {
    // The file decides how deep a checker must search: nine plies on a large
    // board take very long, which is not a fault.
    let text = String::from_utf8_lossy(&data[..data.len().min(2000)]);
    if ["depth 5", "depth 7", "depth 9"]
        .iter()
        .any(|depth| text.contains(depth))
    {
        return;
    }
    let first = check(data, 1, &mut |_, _| true);
    assert_eq!(first.is_ok(), check(data, 3, &mut |_, _| true).is_ok());
    if let Err(error) = first {
        assert!(!error.to_string().is_empty());
    }
}
