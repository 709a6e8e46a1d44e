//! Short certificates whose leaves depend on each other's proofs.

use super::prove::solve;
use super::short_files::{Folder, begin, petard};

#[test]
fn the_command_makes_a_short_file_and_the_check_takes_it() {
    let folder = Folder::new("shared-leaves");
    let file = folder.file("3x7");
    let mut arguments = vec!["solve", "--board", "3x7", "-q", "--threads", "1"];
    arguments.extend(["--certificate", &file, "--leaf-nodes", "100"]);
    let alone = petard(&arguments);
    assert_eq!(alone.status.code(), Some(0));
    let whole = std::fs::metadata(&file).unwrap().len();
    arguments.push("--shared-leaves");
    let shared = petard(&arguments);
    assert_eq!(shared.status.code(), Some(0));
    let length = std::fs::metadata(&file).unwrap().len();
    assert!(5 * length < whole, "{length} of {whole} bytes");
    let output = petard(&["check", &file, "-q"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("proven: black wins"), "{text}");
    // Hardly any leaf takes so few nodes by itself.
    let output = petard(&["check", &file, "-q", "--memory", "0"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("not proven within 1600 nodes"), "{text}");
    let output = petard(&["solve", "--board", "3x5", "--shared-leaves"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_draft_says_whether_leaves_are_shared() {
    let folder = Folder::new("shared-draft");
    let file = folder.file("4x5");
    let resume = folder.file("checkpoint");
    let options = "--board 4x5 -q --threads 1 --hash 16 --json";
    let grow = format!("--certificate {file} --leaf-nodes 30");
    begin(options, &format!("{grow} --shared-leaves"), &resume);
    let grow = format!("{grow} --resume {resume}");
    let output = solve(&format!("{options} {grow}"));
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("begun with --shared-leaves"), "{text}");
    let output = solve(&format!("{options} {grow} --shared-leaves"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
