//! The files of the page, which are part of the binary.

use hyper::body::Bytes;
use hyper::header::HeaderValue;
use include_dir::{Dir, include_dir};
use std::collections::HashMap;

static SCRIPTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/web/js");
static STYLES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/web/css");
static DATA: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/web/data");

/// A file of `web/data`, which other front ends share with the page.
pub fn data_file(name: &str) -> Option<&'static [u8]> {
    DATA.get_file(name).map(|file| file.contents())
}

/// A file as it is served.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) body: Bytes,
    /// Its media type.
    pub(super) kind: &'static str,
    /// Tells a browser whether it already has this file. It is weak: the same for
    /// the file as it is and compressed.
    pub(super) tag: HeaderValue,
}

impl File {
    pub(super) fn new(body: Bytes, kind: &'static str) -> Option<Self> {
        let tag = format!("W/\"{:08x}-{:x}\"", crc32fast::hash(&body), body.len());
        // It is ASCII.
        let tag = HeaderValue::try_from(tag).ok()?;
        Some(Self { body, kind, tag })
    }
}

/// All files by their paths, which begin with a slash.
#[derive(Debug)]
pub(super) struct Page(HashMap<String, File>);

impl Page {
    pub(super) fn new() -> Self {
        let mut page = Self(HashMap::new());
        let index = include_bytes!("../../web/index.html");
        page.add("/", "index.html", index);
        page.add("/index.html", "index.html", index);
        page.add(
            "/icon.svg",
            "icon.svg",
            include_bytes!("../../web/icon.svg"),
        );
        for (root, dir) in [("/js", &SCRIPTS), ("/css", &STYLES), ("/data", &DATA)] {
            page.add_all(root, dir);
        }
        page
    }

    /// The file at a path.
    pub(super) fn get(&self, path: &str) -> Option<&File> {
        self.0.get(path)
    }

    fn add(&mut self, path: &str, name: &str, body: &'static [u8]) {
        if let Some(file) = File::new(Bytes::from_static(body), kind(name)) {
            self.0.insert(path.to_owned(), file);
        }
    }

    fn add_all(&mut self, root: &str, dir: &Dir<'static>) {
        for file in dir.files() {
            let name = file.path().to_string_lossy().replace('\\', "/");
            self.add(&format!("{root}/{name}"), &name, file.contents());
        }
        for dir in dir.dirs() {
            self.add_all(root, dir);
        }
    }
}

/// The media type, by file extension.
fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("csv") => "text/csv; charset=utf-8",
        Some("txt") => "text/plain; charset=utf-8",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::GzEncoder;

    #[test]
    fn every_file_of_the_page_has_a_type_that_browsers_take() {
        let page = Page::new();
        assert!(page.0.len() > 50, "{}", page.0.len());
        for (path, file) in &page.0 {
            assert_ne!(file.kind, kind("?"), "{path}");
        }
    }

    /// What a browser loads of the page, compressed: the puzzles come when they
    /// are asked for.
    #[test]
    fn the_page_is_small() {
        let page = Page::new();
        let later = ["/index.html", "/data/puzzles.csv"];
        let sizes = page
            .0
            .iter()
            .filter(|(path, _)| !later.contains(&path.as_str()));
        let sizes = sizes.map(|(_, file)| {
            let mut packer = GzEncoder::new(&*file.body, Compression::default());
            std::io::copy(&mut packer, &mut std::io::sink()).unwrap() as usize
        });
        let all: usize = sizes.sum();
        assert!(all < 300_000, "{all}");
    }

    /// Every file that the index names exists.
    #[test]
    fn what_the_index_names_is_there() {
        let page = Page::new();
        let index = String::from_utf8_lossy(&page.get("/").unwrap().body);
        let names = index.split(['"']).filter(|name| {
            [".css", ".js", ".svg"]
                .iter()
                .any(|end| name.ends_with(end))
        });
        let mut count = 0;
        for name in names {
            assert!(page.get(&format!("/{name}")).is_some(), "{name}");
            count += 1;
        }
        assert!(count > 5, "{count}");
    }
}
