//! The output side of a session.

use std::io::{PipeWriter, Stdout, Write};

/// Where a session's answers go.
pub trait Output: Write + Send + 'static {
    /// Whether anybody can still read them. Checked after the end of input,
    /// when no write may be left to reveal that the reader is gone.
    fn has_reader(&self) -> bool {
        true
    }
}

impl Output for Stdout {
    #[cfg(unix)]
    fn has_reader(&self) -> bool {
        is_open(self)
    }
}

impl Output for PipeWriter {
    #[cfg(unix)]
    fn has_reader(&self) -> bool {
        is_open(self)
    }
}

/// Whether the other end of a pipe, socket or terminal is open; a file can
/// always be read.
#[cfg(unix)]
fn is_open(output: &impl std::os::fd::AsFd) -> bool {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let mut output = [PollFd::new(output.as_fd(), PollFlags::empty())];
    let gone = PollFlags::POLLERR | PollFlags::POLLHUP | PollFlags::POLLNVAL;
    match poll(&mut output, PollTimeout::ZERO) {
        Ok(_) => !output[0].revents().is_some_and(|now| now.intersects(gone)),
        Err(_) => true,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_has_a_reader_until_it_is_closed() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        assert!(writer.has_reader());
        writer.write_all(b"unread").unwrap();
        assert!(writer.has_reader());
        drop(reader);
        assert!(!writer.has_reader());
    }

    #[test]
    fn the_other_end_of_a_socket_hangs_up() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(is_open(&ours));
        drop(theirs);
        assert!(!is_open(&ours));
    }

    #[test]
    fn an_output_that_cannot_tell_is_taken_to_be_read() {
        assert!(Vec::new().has_reader());
    }

    impl Output for Vec<u8> {}
}
