//! Network files, raw and with sizes and checksum repaired: an accepted one
//! evaluates positions, and equally with all instruction sets.

use super::Target;
use crate::engine::{Board, Variant};
use crate::eval::EvalSource;
use crate::eval::nnue::{NetworkFile, Simd};

pub const TARGET: Target = Target {
    name: "network",
    run,
    seeds,
    words: "PETARDN1|PETARDN2|PETARDN3|\x01\x01\x20\0\x01\0|\x08\x08|\0\0\0\0|\u{7f}",
};

/// Bytes before the weights.
const HEADER: usize = 32;
/// The largest file that is made: longer ones add nothing new.
const MOST: usize = 200_000;

/// A version and sizes, then the bytes that the weights are made of.
fn seeds() -> Vec<Vec<u8>> {
    vec![
        b"\x01\x01\x01\x01\x01\x05\x05\x01weights".to_vec(),
        b"\x01\x02\x01\x01\x08\x04\x05\x01\x80\x7f\x01\xff".to_vec(),
        b"\x01\x03\x03\x02\x02\x03\x04\x00\x11\x22".to_vec(),
        b"\x03\x02\x01\x02\x03\x04\x05\x01\x80\x7f\x01\xff".to_vec(),
        b"\x03\x02\x01\x02\x03\x04\x05\x01\x05\xfb\x00\x01".to_vec(),
        b"\x02\x01\x02\x01\x04\x02\x02\x01\x05\xfb\x00\x00\x01".to_vec(),
        b"\x02\x02\x03\x01\x01\x08\x04\x01\x05\xfb\x00\x00\x01".to_vec(),
        b"\x04\x02\x01\x01\x02\x01\x02\x01\x80\x7f\x01\xff".to_vec(),
        b"\x04\x01\x01\x02\x01\x00\x00\x03\x05\xfb\x11".to_vec(),
        b"PETARDN1\x01\x01\x20\0\x01\0\x05\x05\x28\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec(),
    ]
}

fn run(data: &[u8]) {
    if data.starts_with(b"PETARD") {
        value(data);
    } else if let Some(file) = repaired(data) {
        value(&file);
    }
}

/// A file whose sizes, length and checksum are right, or nearly right.
fn repaired(data: &[u8]) -> Option<Vec<u8>> {
    let (sizes, weights) = data.split_at_checked(8)?;
    if sizes[0] == 4 {
        return repaired_of_stacks(sizes, weights);
    }
    let (is_general, is_mirrored) = (sizes[0] == 2, sizes[0] == 3);
    let (files, ranks) = (usize::from(sizes[1] % 4), usize::from(sizes[2] % 4));
    let hidden = 32 * usize::from(sizes[3] % 4);
    let buckets = usize::from(sizes[4] % 17);
    let (first, second) = (usize::from(sizes[5]), usize::from(sizes[6]));
    let patterns = 3usize.pow((files * ranks) as u32);
    let rows = if is_general {
        2 * patterns * (first + second)
    } else {
        let windows = |size: usize, window: usize| (size + 1).saturating_sub(window);
        let across = windows(first, files);
        let kept = if is_mirrored {
            across.div_ceil(2)
        } else {
            across
        };
        patterns * kept * windows(second, ranks)
    };
    let steps = if is_general {
        [first.min(20), second.min(20)]
    } else {
        [0; 2]
    };
    let numbers = (rows + 1 + steps[0] + steps[1]) * hidden + 2 * hidden * buckets;
    let mut file = if is_general { b"PETARDN2" } else { b"PETARDN1" }.to_vec();
    file.extend([files as u8, ranks as u8]);
    file.extend((hidden as u16).to_le_bytes());
    file.extend((buckets as u16).to_le_bytes());
    file.extend([first as u8, second as u8]);
    let last = [steps[0] as u8, steps[1] as u8, u8::from(is_mirrored), 0];
    completed(file, 2 * numbers + 4 * buckets, last, sizes[7], weights)
}

/// The same for a network of Freeling's game: windows of one or two sizes.
fn repaired_of_stacks(sizes: &[u8], weights: &[u8]) -> Option<Vec<u8>> {
    const BOARD: (usize, usize) = (5, 9);
    /// Empty, and one or two pieces of either side.
    const STATES: usize = 5;
    let size = |at: usize| (usize::from(sizes[at] % 4), usize::from(sizes[at + 1] % 4));
    let (window, second) = (size(1), size(5));
    let hidden = 32 * usize::from(sizes[3] % 4);
    let buckets = usize::from(sizes[4] % 17);
    let is_mirrored = sizes[7] & 2 != 0;
    let rows = |(files, ranks): (usize, usize)| {
        let across = (BOARD.0 + 1).saturating_sub(files);
        let kept = if is_mirrored {
            across.div_ceil(2)
        } else {
            across
        };
        STATES.pow((files * ranks) as u32) * kept * (BOARD.1 + 1 - ranks)
    };
    let rows = rows(window) + if second == (0, 0) { 0 } else { rows(second) };
    let numbers = (rows + 1) * hidden + 2 * hidden * buckets;
    let mut file = b"PETARDN3".to_vec();
    file.extend([window.0 as u8, window.1 as u8]);
    file.extend((hidden as u16).to_le_bytes());
    file.extend((buckets as u16).to_le_bytes());
    file.extend([BOARD.0 as u8, BOARD.1 as u8]);
    let last = [second.0 as u8, second.1 as u8, u8::from(is_mirrored), 0];
    completed(file, 2 * numbers + 4 * buckets, last, sizes[7], weights)
}

/// The file with its scale, checksum, length and last sizes, and with weights made
/// of these bytes.
fn completed(
    mut file: Vec<u8>,
    length: usize,
    last: [u8; 4],
    scale: u8,
    weights: &[u8],
) -> Option<Vec<u8>> {
    if length > MOST {
        return None;
    }
    file.extend((40 * i32::from(scale)).to_le_bytes());
    file.extend([0; 4]);
    file.extend((length as u32).to_le_bytes());
    file.extend(last);
    // Small weights are accepted, large ones are not; the last are the output
    // weights, of 32 bits.
    let mut next = weights.iter().cycle().copied().chain(std::iter::repeat(0));
    let is_small = scale % 2 == 1;
    while file.len() < HEADER + length {
        let byte = next.next()?;
        let high = if byte < 128 { 0 } else { 255 };
        file.extend(if is_small { [byte, high] } else { [high, byte] });
    }
    file.truncate(HEADER + length);
    let sum = crc32fast::hash(&[&file[..20], &file[24..]].concat()).to_le_bytes();
    file[20..24].copy_from_slice(&sum);
    Some(file)
}

/// Whether the bytes make a network, as most of the seeds do.
#[allow(dead_code)]
pub fn is_accepted(data: &[u8]) -> bool {
    repaired(data).is_some_and(|file| NetworkFile::from_bytes(&file).is_ok())
}

fn value(file: &[u8]) {
    let Ok(network) = NetworkFile::from_bytes(file) else {
        return;
    };
    let variants: Vec<Variant> = match &network {
        NetworkFile::Board(_) if file.starts_with(b"PETARDN3") => vec![Variant::Freeling],
        NetworkFile::Board(network) => {
            let (files, ranks) = network.shape().board();
            let (files, ranks) = (files.into(), ranks.into());
            vec![Variant::Breakthrough { files, ranks }]
        }
        NetworkFile::General(_) => [(2, 4), (5, 5), (16, 8)]
            .map(|(files, ranks)| Variant::Breakthrough { files, ranks })
            .to_vec(),
    };
    let source = EvalSource::built_in().with(network);
    for variant in variants {
        let start = Board::start(variant).expect("a board");
        let values: Vec<_> = Simd::available()
            .into_iter()
            .map(|simd| start.evaluate(&source.clone().with_simd(simd)))
            .map(|value| value.expect("the game goes on").score)
            .collect();
        assert!(values.iter().all(|&value| value == values[0]), "{values:?}");
    }
}
