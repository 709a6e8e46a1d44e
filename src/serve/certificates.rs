//! Certificates of solved boards that the server offers to the page, which loads
//! them as it loads a file of the user's. What they prove is not checked here.

use crate::engine::{Board, Variant};
use hyper::body::Bytes;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Where the list is, and the folder of the files.
pub(super) const LIST: &str = "/certificates.json";
const FOLDER: &str = "/certificates/";

/// How files that can be read by the page begin.
const TITLE: &str = "breakthrough certificate 2\nfen ";
/// The most bytes before the end of the position.
const MAX_HEADER: u64 = 500;
/// The largest file: it is read as a whole, here and in the page.
const MAX_BYTES: u64 = 256 << 20;

/// The certificates of a folder, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Certificates {
    files: HashMap<String, PathBuf>,
    list: Vec<Value>,
}

impl Certificates {
    /// Those in a folder, and what is wrong with the `*.proof` files that are left out.
    pub(crate) fn in_folder(folder: &Path) -> io::Result<(Self, Vec<String>)> {
        let (mut found, mut errors) = (Self::default(), Vec::new());
        let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
        let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|kind| kind == "proof"));
        paths.sort();
        for path in paths {
            match describe(&path) {
                Ok((name, about)) => {
                    found.list.push(about);
                    found.files.insert(name, path);
                }
                Err(reason) => errors.push(format!("{} is left out: {reason}", path.display())),
            }
        }
        Ok((found, errors))
    }

    /// Name, board and size of each, as JSON.
    pub(super) fn list(&self) -> Bytes {
        Value::from(self.list.clone()).to_string().into()
    }

    /// The file at a path of the server's.
    pub(super) fn get(&self, path: &str) -> Option<PathBuf> {
        self.files.get(path.strip_prefix(FOLDER)?).cloned()
    }
}

/// The name of a certificate's file, and its entry in the list.
fn describe(path: &Path) -> Result<(String, Value), String> {
    let is_plain = |name: &&str| {
        name.bytes()
            .all(|c| c.is_ascii_alphanumeric() || b"-._".contains(&c))
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name
        .filter(is_plain)
        .ok_or("its name has other characters than letters, digits, '-', '.' and '_'")?;
    let text = |error: io::Error| error.to_string();
    let about = fs::metadata(path).map_err(text)?;
    // Reading a pipe would wait for its other end.
    if !about.is_file() {
        return Err("it is not a file".to_owned());
    }
    if about.len() > MAX_BYTES {
        return Err(format!("it is larger than {} MB", MAX_BYTES >> 20));
    }
    let mut head = Vec::new();
    let file = File::open(path).map_err(text)?;
    file.take(MAX_HEADER).read_to_end(&mut head).map_err(text)?;
    let (files, ranks) = board(&String::from_utf8_lossy(&head))
        .ok_or("it is not a short certificate (version 2)")?;
    let about = json!({ "name": name, "board": format!("{files}x{ranks}"), "bytes": about.len() });
    Ok((name.to_owned(), about))
}

/// Files and ranks of the board that a certificate is about, by its first lines.
fn board(head: &str) -> Option<(u8, u8)> {
    let (fen, _) = head.strip_prefix(TITLE)?.split_once('\n')?;
    let board = Board::from_fen(Variant::STANDARD, fen).ok()?;
    Some(board.size())
}
