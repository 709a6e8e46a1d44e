//! Unpacks the built-in networks, which `build.rs` packed.

use super::packing::{HEADER_BYTES, Packing};
use miniz_oxide::inflate::decompress_to_vec;

/// The bytes of the file that was packed; `None` if that is not what `build.rs`
/// made.
pub(in crate::eval) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (header, stream) = packed.split_first_chunk::<HEADER_BYTES>()?;
    let packing = Packing::of(header);
    let stream = decompress_to_vec(stream).ok()?;
    let payload_bytes = u32::from_le_bytes(*header[24..].first_chunk()?) as usize;
    let halves = payload_bytes / 2 / packing.half;
    let (distances, stream) = stream.split_at_checked(2 * halves)?;
    let distances = distances.as_chunks::<2>().0;
    let distances = || distances.iter().map(|&pair| u16::from_le_bytes(pair));
    let count = distances().filter(|&distance| distance == 0).count() * packing.half;
    let noise_bytes = count * packing.noise_bits as usize / 8;
    let (noise, stream) = stream.split_at_checked(noise_bytes)?;
    let (low, stream) = stream.split_at_checked(count)?;
    let (high, rest) = stream.split_at_checked(count)?;
    let difference = |at: usize| {
        let high = i16::from(high[at].cast_signed()) << 8;
        let above = high.wrapping_add(low[at].cast_signed().into());
        let noise = noise
            .get(at / 4)
            .map_or(0, |pairs| pairs >> (at % 4 * 2) & 3);
        (above << packing.noise_bits) | i16::from(noise)
    };
    let mut weights: Vec<i16> = Vec::with_capacity(halves * packing.half);
    let mut next = 0;
    for distance in distances() {
        if distance == 0 {
            let expected = packing.predict(&weights);
            let places = next..next + packing.half;
            next = places.end;
            let actual = expected.into_iter().zip(places);
            weights.extend(actual.map(|(weight, at)| weight.wrapping_add(difference(at))));
        } else {
            let begin = weights
                .len()
                .checked_sub(usize::from(distance) * packing.half)?;
            weights.extend_from_within(begin..begin + packing.half);
        }
    }
    let mut bytes = Vec::with_capacity(HEADER_BYTES + payload_bytes);
    bytes.extend(header);
    bytes.extend(weights.into_iter().flat_map(i16::to_le_bytes));
    bytes.extend(rest);
    Some(bytes)
}
