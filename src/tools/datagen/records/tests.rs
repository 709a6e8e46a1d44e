use super::*;
use crate::game::{Notation, breakthrough, freeling};

fn comes_back<G: Recorded>(fen: &str) {
    let position = G::from_fen(fen).unwrap();
    let header = RecordHeader::new(G::KIND, position.board_size());
    let mut record = position.record(-1234, true);
    let image = position.mirrored().record(7, false);
    let other = position.pass().record(7, false);
    assert_eq!(header.canonical_key(&record), header.canonical_key(&image));
    assert_ne!(header.canonical_key(&record), header.canonical_key(&other));
    for (result, is_first) in [(GameResult::Won, true), (GameResult::Lost, false)] {
        (record.result, record.is_first) = (result, is_first);
        let mut file = Vec::new();
        header.write(&mut file).unwrap();
        file.extend(header.to_bytes(&record));
        assert_eq!(file.len() as u64, header.length(1));
        // Part of a record, as a killed run leaves it.
        file.extend([1, 2, 3]);
        let mut input = file.as_slice();
        assert_eq!(RecordHeader::read(&mut input).unwrap(), header);
        let records: Vec<Record> = Records(header, input).map(Result::unwrap).collect();
        assert_eq!(records, [record.clone()]);
        let back = G::from_record(&header, &records[0]).unwrap();
        assert_eq!(back.key(), position.key());
    }
}

#[test]
fn records_of_all_games_and_boards_come_back() {
    comes_back::<breakthrough::Position<u64>>("1p6/8/8/2p5/8/P7/8/1P6 w 0 9");
    comes_back::<breakthrough::Position<u64>>("p5/6/2p3/6/P5/1P4 b 0 9");
    comes_back::<breakthrough::Position<u128>>("p15/16/16/2p13/16/P15/16/1P14 b 0 300");
    let start = breakthrough::Position::<u128>::start(32, 4).unwrap();
    comes_back::<breakthrough::Position<u128>>(&start.fen().replacen('P', "1", 1));
    comes_back::<freeling::Position>("1pdd1/P1DPp/P1DDP/1D1D1/5/1d1d1/p1ddp/p1dpP/1PDD1 w 0 1");
}

#[test]
fn a_file_of_version_1_is_refused() {
    let mut file = b"PETARDD1\x07\x06".to_vec();
    file.extend([0; 22]);
    let error = RecordHeader::read(&mut &file[..]).unwrap_err().to_string();
    assert!(
        error.contains("format 1, which is no longer read"),
        "{error}"
    );
}

#[test]
fn other_files_are_refused() {
    let mut file = [0; 16];
    let error = |file: &[u8]| RecordHeader::read(&mut &*file).unwrap_err().to_string();
    assert_eq!(error(&file), "not a file of petard positions");
    assert_eq!(error(b"PETARDD2"), "not a file of petard positions");
    file[..8].copy_from_slice(b"PETARDD2");
    file[8..11].copy_from_slice(&[12, 11, 0]);
    assert_eq!(error(&file), "positions of unsupported board 12x11");
    file[8..11].copy_from_slice(&[5, 9, 2]);
    assert_eq!(error(&file), "positions of unknown game 2");
    file[8..11].copy_from_slice(&[9, 5, 1]);
    assert_eq!(error(&file), "positions of unsupported board 9x5");
}
