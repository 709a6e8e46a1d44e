//! Tells the program which commit it is built from, where that can be known.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PETARD_COMMIT");
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=PETARD_COMMIT={commit}");
    }
}

/// What whoever builds says, or the package, or git. A build without
/// optimisation is nobody's release, and is not made anew for every commit.
fn commit() -> Option<String> {
    let said = env::var("PETARD_COMMIT").ok();
    let commit = said.or_else(packaged).or_else(|| {
        let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
        is_release.then(checked_out).flatten()
    })?;
    let is_hash = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| commit.chars().take(10).collect())
}

/// The commit that `cargo package` has noted.
fn packaged() -> Option<String> {
    let note = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = note.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The commit of a checkout; none where there is no git, or it refuses.
fn checked_out() -> Option<String> {
    // A folder above this one may be a checkout of something else.
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
