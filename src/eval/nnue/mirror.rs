//! Networks that value a position and its mirror image alike, because they were
//! trained that way: half of their rows are enough.

use super::shape::Shape;
use super::simd::Lanes;

/// A row with its halves exchanged.
pub(super) fn exchanged<T: Clone>(row: &[T]) -> Vec<T> {
    let (first, second) = row.split_at(row.len() / 2);
    [second, first].concat()
}

/// The rows of the left half, including the middle, of a network whose right
/// half is its mirror image; `None` for any other.
pub(super) fn left_half(shape: &Shape, rows: &[Lanes]) -> Option<Vec<Lanes>> {
    let blocks = shape.blocks();
    if shape.is_mirrored || !shape.has_halves() || rows.len() != shape.rows() * blocks {
        return None;
    }
    let mut half = Vec::new();
    let mut rest = rows;
    for kind in shape.windows() {
        let size = shape.patterns_of(kind) * blocks;
        let across = usize::from(shape.places_of(kind).0);
        let images = mirrored_patterns(shape, kind);
        let (own, others) = rest.split_at(shape.rows_of(kind) * blocks);
        rest = others;
        for windows in own.chunks_exact(across * size) {
            let pairs = windows
                .chunks_exact(size)
                .zip(windows.chunks_exact(size).rev());
            for (left, right) in pairs.take(across / 2) {
                let mut pairs = right.chunks_exact(blocks).zip(&images);
                if !pairs.all(|(row, image)| exchanged(row) == left[image * blocks..][..blocks]) {
                    return None;
                }
            }
            half.extend_from_slice(&windows[..across.div_ceil(2) * size]);
        }
    }
    Some(half)
}

/// For each pattern of a window, that of its mirror image.
fn mirrored_patterns(shape: &Shape, (files, ranks): (u8, u8)) -> Vec<usize> {
    let states = shape.states() as usize;
    let pattern = |contents: &[usize]| {
        let cells = contents.iter().rev();
        cells.fold(0, |pattern, &state| pattern * states + state)
    };
    let (files, cells) = (usize::from(files), u32::from(files) * u32::from(ranks));
    let image = |number: usize| {
        let contents = (0..cells).map(|cell| number / states.pow(cell) % states);
        let mut contents: Vec<usize> = contents.collect();
        contents.chunks_mut(files).for_each(<[usize]>::reverse);
        pattern(&contents)
    };
    (0..shape.patterns_of((files as u8, ranks)))
        .map(image)
        .collect()
}
