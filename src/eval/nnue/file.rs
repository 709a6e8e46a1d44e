//! Network files, for one board and for every board.

use super::error::NetworkError;
use super::general::General;
use super::header::{HEADER_BYTES, Header, Kind, open};
use super::network::Network;
use crate::base::ask_for;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A network as a file holds it.
#[derive(Clone, Debug)]
pub enum NetworkFile {
    /// One for a single board.
    Board(Arc<Network>),
    /// One for every board.
    General(Arc<General>),
}

impl NetworkFile {
    /// Reads a network's file.
    ///
    /// # Errors
    /// If it cannot be read or is not a valid network; the error says why.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        (&mut file)
            .take(HEADER_BYTES as u64)
            .read_to_end(&mut bytes)?;
        // Reads at most what a valid file has, and one more byte to see its end.
        let rest = Header::from_bytes(&bytes)?.payload_bytes + 1;
        file.take(rest as u64).read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes)
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// If they are not a valid network; the error says why.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (header, payload) = open(bytes)?;
        // The weights, their rearranged copy, and small things.
        ask_for(3 * bytes.len() + (1 << 20))?;
        Ok(match header.kind {
            Kind::Board(shape) => {
                let network = Network::from_payload(shape, header.scale, payload)?;
                Self::Board(Arc::new(network))
            }
            Kind::General(parts) => {
                let general = General::from_payload(parts, header.scale, payload);
                general.check()?;
                Self::General(Arc::new(general))
            }
        })
    }
}

impl From<Arc<Network>> for NetworkFile {
    fn from(network: Arc<Network>) -> Self {
        Self::Board(network)
    }
}

impl From<Arc<General>> for NetworkFile {
    fn from(general: Arc<General>) -> Self {
        Self::General(general)
    }
}
