//! What the session says.

use crate::worker;
use petard::protocol::Output;
use std::io::{self, Write};

/// Lines on their way to the worker.
#[derive(Debug, Default)]
pub struct Lines {
    text: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        worker::send(self.text.trim_ascii_end());
        self.text.clear();
        Ok(())
    }
}

impl Output for Lines {}
