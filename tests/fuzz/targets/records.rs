//! Files of recorded positions: what is read is written back unchanged.

use super::Target;
use crate::game::{Game, breakthrough, freeling};
use crate::tools::datagen::records::{
    GameResult, Record, RecordHeader, Recorded, RecordedGame, Records,
};

pub const TARGET: Target = Target {
    name: "records",
    run,
    seeds,
    words: "PETARDD1|PETARDD2|\x08\x08|\x05\x09\x01|\x10\x08|\0\0\0\0\0",
};

fn file<G: Recorded>(position: &G) -> Vec<u8> {
    let header = RecordHeader::new(G::KIND, position.board_size());
    let mut bytes = Vec::new();
    header.write(&mut bytes).expect("memory takes all");
    let mut record = position.record(-7, false);
    record.is_first = true;
    record.result = GameResult::Won;
    bytes.extend(header.to_bytes(&record));
    bytes.extend(header.to_bytes(&record));
    bytes
}

fn seeds() -> Vec<Vec<u8>> {
    let mut old = b"PETARDD1\x07\x06".to_vec();
    old.extend([0; 6]);
    old.extend((1u64 | 1 << 10 | 1 << 46).to_le_bytes());
    old.extend([2, 0, 0, 0, 249, 255, 9, 11]);
    vec![
        old,
        file(&breakthrough::Position::<u64>::start(8, 8).expect("8x8")),
        file(&breakthrough::Position::<u128>::start(16, 8).expect("16x8")),
        file(&freeling::Position::start()),
    ]
}

fn run(data: &[u8]) {
    let mut input = data;
    let Ok(header) = RecordHeader::read(&mut input) else {
        return;
    };
    for record in Records(header, input).take(1000) {
        let record = record.expect("memory is always read");
        let small = usize::from(header.files) * usize::from(header.ranks) <= 64
            && header.files <= 8
            && header.ranks <= 8;
        match header.kind {
            RecordedGame::Freeling => check::<freeling::Position>(&header, &record),
            RecordedGame::Breakthrough if small => {
                check::<breakthrough::Position<u64>>(&header, &record)
            }
            RecordedGame::Breakthrough => check::<breakthrough::Position<u128>>(&header, &record),
        }
    }
}

fn check<G: Recorded + Game>(header: &RecordHeader, record: &Record) {
    let _ = header.canonical_key(record);
    let Some(position) = G::from_record(header, record) else {
        return;
    };
    let mut again = position.record(0, record.is_noisy);
    (again.score, again.result) = (record.score, record.result);
    (again.is_first, again.is_proven) = (record.is_first, record.is_proven);
    assert_eq!(again, *record);
    let current = *header;
    let bytes = current.to_bytes(&again);
    let back = Records(current, bytes.as_slice()).next();
    assert_eq!(back.and_then(Result::ok), Some(again));
}
