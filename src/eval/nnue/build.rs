//! Packs the built-in networks. This is part of build scripts, not of the crate.

mod packing;

use miniz_oxide::deflate::core::{
    CompressionStrategy, CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output,
    create_comp_flags_from_zip_params,
};
use packing::Packing;
use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::Path;

/// How hard to compress, from 0 to 10. More gains next to nothing.
const LEVEL: i32 = 6;

/// Packs all networks of this folder into that of the build script's results.
pub fn pack_all(folder: &Path) {
    println!("cargo::rerun-if-changed={}", folder.display());
    let target = env::var("OUT_DIR").expect("cargo sets it");
    for entry in fs::read_dir(folder).expect("the networks are there") {
        let path = entry.expect("the folder can be read").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "nnue")
        {
            let file = fs::read(&path).expect("a network can be read");
            let name = path.file_name().expect("a file has a name");
            let packed = Path::new(&target).join(name);
            fs::write(packed, pack(&file)).expect("a packed network can be written");
        }
    }
}

/// A network's file, packed as `packing.rs` describes.
fn pack(file: &[u8]) -> Vec<u8> {
    let (header, payload) = file
        .split_first_chunk()
        .expect("a network's file has a header");
    let packing = Packing::of(header);
    let halves = payload.len() / 2 / packing.half;
    let (rows, rest) = payload.split_at(2 * halves * packing.half);
    let pairs = rows.as_chunks::<2>().0;
    let weights: Vec<i16> = pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
    let mut latest = HashMap::new();
    let (mut distances, mut noise) = (Vec::new(), Vec::new());
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for (index, half) in weights.chunks_exact(packing.half).enumerate() {
        let same = latest.insert(half, index);
        let distance = same.and_then(|same| u16::try_from(index - same).ok());
        distances.extend(distance.unwrap_or(0).to_le_bytes());
        if distance.is_some() {
            continue;
        }
        let expected = packing.predict(&weights[..index * packing.half]);
        for (weight, expected) in half.iter().zip(expected) {
            let difference = weight.wrapping_sub(expected);
            if packing.noise_bits > 0 {
                noise.push(difference as u8 & 3);
            }
            let above = difference >> packing.noise_bits;
            low.push(above as u8);
            high.push((above.wrapping_sub((above as i8).into()) >> 8) as u8);
        }
    }
    let noise: Vec<u8> = noise
        .chunks_exact(4)
        .map(|pairs| pairs.iter().rev().fold(0, |byte, pair| byte << 2 | pair))
        .collect();
    let stream = [&distances[..], &noise, &low, &high, rest].concat();
    [&header[..], &compressed(&stream)].concat()
}

/// A DEFLATE stream. Short repetitions are left to the codes of single bytes,
/// which suits numbers.
fn compressed(bytes: &[u8]) -> Vec<u8> {
    let strategy = CompressionStrategy::Filtered as i32;
    let flags = create_comp_flags_from_zip_params(LEVEL, -15, strategy);
    let mut out = Vec::new();
    let (status, _) = compress_to_output(
        &mut CompressorOxide::new(flags),
        bytes,
        TDEFLFlush::Finish,
        |piece| {
            out.extend_from_slice(piece);
            true
        },
    );
    assert_eq!(status, TDEFLStatus::Done);
    out
}
