//! Packs the built-in networks, and sets the commit that the program is built from,
//! if it is known.

#[path = "src/eval/nnue/build.rs"]
mod networks;

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PETARD_COMMIT");
    networks::pack_all(Path::new("src/eval/nnue"));
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=PETARD_COMMIT={commit}");
    }
}

/// The commit from `PETARD_COMMIT`, the package or git. Git is asked only in
/// release builds, so that debug builds are not redone for every commit.
fn commit() -> Option<String> {
    let said = env::var("PETARD_COMMIT").ok();
    let commit = said.or_else(packaged).or_else(|| {
        let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
        is_release.then(checked_out).flatten()
    })?;
    let is_hash = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| commit.chars().take(10).collect())
}

/// The commit that `cargo package` recorded.
fn packaged() -> Option<String> {
    let note = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = note.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The commit of a checkout; `None` if git is missing or fails.
fn checked_out() -> Option<String> {
    // A parent folder may be a checkout of something else.
    if !Path::new(".git").exists() {
        return None;
    }
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
