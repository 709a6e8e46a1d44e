//! Short certificates: growing, checking, refusing.
use super::together::Remembering;
use crate::base::Side;
use crate::checker::{CheckError, CheckedPositions, KnownNumbers as Known, Short, Witness, check};
use crate::game::breakthrough::{Bits, Position};
use crate::game::{Game, Notation};
use crate::solve::{
    BuildError, BuilderCounts, CertificateBuilder, LeafProver, ProofBook, ProofLimits,
    ShortCertificate, Solver, StepResult,
};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use unsigned_varint::{decode, encode};

fn provers<B: Bits>(position: &Position<B>, nodes: u64, count: usize) -> Vec<LeafProver> {
    let prover = || LeafProver::new(position.geometry(), nodes).unwrap();
    (0..count).map(|_| prover()).collect()
}

/// The same position in the sets that hold every board.
pub fn wide<B: Bits>(position: &Position<B>) -> Position<u128> {
    Position::from_fen(&position.fen()).unwrap()
}

fn begun<B: Bits>(
    position: &Position<B>,
    solver: &Solver,
    provers: &[LeafProver],
    nodes: u64,
) -> CertificateBuilder {
    let wins = solver.prove(position, &ProofLimits::default(), &|| false, &mut |_| {});
    let side = position.side_to_move();
    let winner = if wins.unwrap() { side } else { !side };
    CertificateBuilder::begin(solver, &wide(position), winner, 3, provers, nodes).unwrap()
}

fn advance(
    builder: &mut CertificateBuilder,
    solver: &Solver,
    provers: &[LeafProver],
) -> StepResult {
    let limits = ProofLimits::default();
    builder
        .advance(solver, provers, &limits, &|| false, &mut |_| {})
        .unwrap()
}

/// The short certificate of a position, grown by `count` provers.
pub fn grown<B: Bits>(position: &Position<B>, nodes: u64, count: usize) -> ShortCertificate {
    let solver = Solver::new(position.geometry(), 1 << 24).unwrap();
    let provers = provers(position, nodes, count);
    let mut builder = begun(position, &solver, &provers, nodes);
    while advance(&mut builder, &solver, &provers) != StepResult::Done {}
    builder.certificate().unwrap()
}

/// The engine's prover as the checker's witness.
pub struct Prover(pub LeafProver);

impl Witness for Prover {
    fn certificate(&mut self, fen: &str, known: &mut Known<'_>) -> Result<Vec<u8>, CheckError> {
        let position = Position::<u128>::from_fen(fen).unwrap();
        let certificate = self.0.certificate(&position, 3, known);
        let certificate = certificate.map_err(|error| error.to_string())?;
        let mut data = Vec::new();
        certificate.write(&mut data).unwrap();
        Ok(data)
    }
}

/// How many leaves were checked, and whether White wins; or why not.
fn proven(data: &[u8], start: &Position<u64>, nodes: u64) -> Result<(usize, bool), String> {
    let short = Short::new(data, 2, &mut |_, _| true).map_err(|error| error.to_string())?;
    // Proofs are for the board of the file, whatever it is.
    let board = match short.leaves() {
        0 => *start,
        _ => Position::from_fen(&short.leaf(0)).unwrap(),
    };
    let prover = LeafProver::new(board.geometry(), nodes).unwrap();
    let mut witness = Prover(prover.with_node_limit(16 * nodes));
    // Writing a proof down may take more nodes than finding it.
    let finder = LeafProver::new(board.geometry(), nodes).unwrap();
    (0..short.leaves()).try_for_each(|index| {
        let leaf = Position::<u64>::from_fen(&short.leaf(index)).unwrap();
        if finder.decide(&leaf).is_none() {
            return Err(format!(
                "leaf {index}: it is not proven within {nodes} nodes"
            ));
        }
        let check = short.check_leaf(index, &mut witness, None);
        check.map(|_| ()).map_err(|error| error.to_string())
    })?;
    Ok((short.leaves(), short.proven().white_wins))
}

#[test]
fn short_certificates_hold_and_are_short() {
    for (files, ranks, nodes, white_wins) in [
        (3, 4, 100, false),
        (3, 5, 20, false),
        (4, 5, 100, false),
        (3, 6, 50, true),
    ] {
        let start = Position::<u64>::start(files, ranks).unwrap();
        let short = grown(&start, nodes, 1);
        let found = proven(&short.to_bytes(), &start, nodes);
        let (leaves, white) = found.unwrap();
        assert_eq!(white, white_wins, "{files}x{ranks}");
        assert!(leaves > 0 && short.entries.len() < 1000, "{leaves} leaves");
        // The same with several provers, and however the position is kept.
        assert_eq!(grown(&start, nodes, 3), short);
        assert_eq!(grown(&wide(&start), nodes, 1), short);
        let back = ShortCertificate::from_bytes(&short.to_bytes());
        assert_eq!(back.unwrap(), short);
    }
}

#[test]
fn the_other_colours_view_has_the_same_positions() {
    let fen = "pp1/ppp/p2/2P/PPP/PP1 b 0 1";
    let position = Position::<u64>::from_fen(fen).unwrap();
    let short = grown(&position, 20, 1);
    let flipped = position.flipped();
    let other = grown(&flipped, 20, 1);
    assert_eq!(short.entries, other.entries);
    assert_ne!(short.winner, other.winner);
    assert!(proven(&short.to_bytes(), &position, 20).is_ok());
    assert!(proven(&other.to_bytes(), &flipped, 20).is_ok());
}

#[test]
fn a_short_certificate_that_is_wrong_is_refused_with_the_reason() {
    let start = Position::<u64>::start(4, 5).unwrap();
    let short = grown(&start, 50, 1);
    assert!(short.entries.len() > 20);
    let refusal = |change: &dyn Fn(&mut ShortCertificate)| {
        let mut bad = short.clone();
        change(&mut bad);
        proven(&bad.to_bytes(), &start, 50).unwrap_err()
    };
    let first = short.entries[0];
    type Change = Box<dyn Fn(&mut ShortCertificate)>;
    let change = |text: &'static str, change: Change| (text, change);
    for (text, change) in [
        change("not legal", Box::new(|bad| bad.entries[3].1 = 999)),
        change(
            "not in ascending order",
            Box::new(move |bad| bad.entries.insert(1, first)),
        ),
        change("not proven within 50", Box::new(|bad| bad.entries.clear())),
        change(
            "not proven within 50",
            Box::new(|bad| {
                bad.entries.remove(bad.entries.len() / 2);
            }),
        ),
        // With the other winner, nothing in the file fits: any reason will do.
        change("", Box::new(|bad| bad.winner = !bad.winner)),
        change(
            "",
            Box::new(|bad| bad.fen = "pppp/pppp/4/4/PPPP/PPPP w 0 1".to_owned()),
        ),
        change("", Box::new(|bad| bad.fen = bad.fen.replace(" w ", " b "))),
        change("leaf-nodes 0", Box::new(|bad| bad.leaf_nodes = 0)),
        change("depth 2", Box::new(|bad| bad.depth = 2)),
    ] {
        let error = refusal(&*change);
        assert!(error.contains(text), "{text}: {error}");
    }
    // Every position is needed, and a move other than the proven one is detected
    // unless it wins too.
    let (mut tried, mut refused) = (0, 0);
    for index in (0..short.entries.len()).step_by(9) {
        let mut bad = short.clone();
        bad.entries.remove(index);
        assert!(proven(&bad.to_bytes(), &start, 50).is_err(), "{index}");
        let mut bad = short.clone();
        bad.entries[index].1 ^= 1;
        tried += 1;
        refused += usize::from(proven(&bad.to_bytes(), &start, 50).is_err());
    }
    assert!(2 * refused > tried, "{refused} of {tried} refused");
}

#[test]
fn a_damaged_file_is_refused() {
    let start = Position::<u64>::start(3, 6).unwrap();
    let good = grown(&start, 50, 1).to_bytes();
    assert!(proven(&good, &start, 50).is_ok());
    for index in 0..good.len() {
        let mut bad = good.clone();
        bad[index] ^= 1 << (index % 8);
        assert!(Short::new(&bad, 1, &mut |_, _| true).is_err(), "{index}");
        let cut = Short::new(&good[..index], 1, &mut |_, _| true);
        assert!(cut.is_err(), "cut at {index}");
        assert!(ShortCertificate::from_bytes(&bad).is_err(), "{index}");
        assert!(ShortCertificate::from_bytes(&good[..index]).is_err());
    }
    let mut longer = good.clone();
    longer.push(0);
    let error = Short::new(&longer, 1, &mut |_, _| true).err().unwrap();
    assert!(error.to_string().contains("checksum"), "{error}");
    let error = check(&good, 1, &mut |_, _| true).unwrap_err();
    assert!(error.to_string().contains("short"), "{error}");
}

#[test]
fn a_witness_is_not_believed() {
    let memory = CheckedPositions::new(1 << 10, 80).unwrap();
    let start = Position::<u64>::start(4, 5).unwrap();
    let data = grown(&start, 100, 1).to_bytes();
    let short = Short::new(&data, 1, &mut |_, _| true).unwrap();
    let mut prover = Prover(
        LeafProver::new(start.geometry(), 100)
            .unwrap()
            .with_node_limit(1600),
    );
    let truth = |index: usize, prover: &mut Prover| {
        let certificate = prover.certificate(&short.leaf(index), &mut |_| 0);
        certificate.unwrap()
    };
    let (first, second) = (truth(0, &mut prover), truth(1, &mut prover));
    let nothing = format!(
        "breakthrough certificate 1\nfen {}\nwinner white\ndepth 3\nentries 0\n\n",
        short.leaf(0)
    );
    let lost = String::from_utf8_lossy(&first).replace("white", "black");
    for (lie, reason) in [
        (second, "something else"),
        (data.clone(), "something else"),
        (Vec::new(), "no empty line"),
        (first[..first.len() - 1].to_vec(), "entry"),
        (nothing.into_bytes(), "not covered"),
        (lost.into_bytes(), ""),
    ] {
        let error = short
            .check_leaf(0, &mut Liar(lie, Vec::new()), Some(&memory))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("leaf 0") && error.contains(reason),
            "{error}"
        );
    }
    // True claims are kept, refused ones are not; after that, nobody is asked.
    let check = |memory| short.check_leaf(0, &mut Liar(first.clone(), Vec::new()), memory);
    assert!(check(Some(&memory)).unwrap().positions > 0);
    let check = short.check_leaf(0, &mut Liar(Vec::new(), Vec::new()), Some(&memory));
    assert_eq!(check.unwrap().positions, 0);
}

/// A witness that always gives the same answer, and may ask for positions first.
struct Liar(Vec<u8>, Vec<u128>);

impl Witness for Liar {
    fn certificate(&mut self, _fen: &str, known: &mut Known<'_>) -> Result<Vec<u8>, CheckError> {
        for &number in &self.1 {
            known(&[number]);
        }
        Ok(self.0.clone())
    }
}

/// A whole certificate with one of its positions removed, for each position.
fn thinned(data: &[u8]) -> Vec<(u128, Vec<u8>)> {
    let end = data.windows(2).position(|pair| pair == b"\n\n").unwrap() + 2;
    let mut rest = &data[end..];
    let mut numbers = Vec::new();
    while !rest.is_empty() {
        let (number, after) = decode::u128(rest).unwrap();
        numbers.push(number);
        rest = after;
    }
    let header = std::str::from_utf8(&data[..end]).unwrap();
    let count = numbers.len() / 2;
    let fewer = header.replace(
        &format!("entries {count}\n"),
        &format!("entries {}\n", count - 1),
    );
    assert_ne!(header, fewer);
    let without = |left_out| {
        let mut data = fewer.clone().into_bytes();
        let mut gap = 0;
        for (index, pair) in numbers.chunks(2).enumerate() {
            gap += pair[0];
            if index != left_out {
                data.extend(encode::u128(gap, &mut encode::u128_buffer()));
                data.extend(encode::u128(pair[1], &mut encode::u128_buffer()));
                gap = 0;
            }
        }
        let number = numbers.iter().step_by(2).take(left_out + 1).sum();
        (number, data)
    };
    (0..count).map(without).collect()
}

#[test]
fn what_leaves_have_in_common_is_checked_once() {
    let mut saved = 0;
    for (files, ranks, nodes) in [(4, 5, 100), (3, 6, 50), (5, 4, 20)] {
        let start = Position::<u64>::start(files, ranks).unwrap();
        let data = grown(&start, nodes, 1).to_bytes();
        let short = Short::new(&data, 1, &mut |_, _| true).unwrap();
        let work = |room, prover: &mut dyn Witness| {
            let memory = (room > 0).then(|| CheckedPositions::new(room, 80).unwrap());
            let memory = memory.as_ref();
            let check = |index| short.check_leaf(index, prover, memory).unwrap();
            let positions = (0..short.leaves()).map(check).map(|check| check.positions);
            positions.sum::<usize>()
        };
        let fresh = || {
            Prover(
                LeafProver::new(start.geometry(), nodes)
                    .unwrap()
                    .with_node_limit(16 * nodes),
            )
        };
        let mut each = fresh();
        let (all, some) = (work(0, &mut each), work(16, &mut fresh()));
        let solver = Solver::new(start.geometry(), 1 << 22).unwrap();
        let solver = solver.grow_to_capacity();
        let mut remembering = Remembering::new(&solver, 16 * nodes);
        let once = work(1 << 20, &mut remembering);
        assert!(once <= some && some < all, "{once} {some} {all}");
        saved += some - once;
        assert!(remembering.spent < each.0.nodes(), "{}", remembering.spent);
        // The same with a memory that has already seen everything.
        let memory = CheckedPositions::new(1 << 20, 80).unwrap();
        let mut prover = fresh();
        for index in 0..short.leaves() {
            short.check_leaf(index, &mut prover, Some(&memory)).unwrap();
        }
        for index in 0..short.leaves() {
            let again = short.check_leaf(index, &mut prover, Some(&memory)).unwrap();
            assert_eq!(again.positions, 0);
        }
    }
    assert!(saved > 0, "a larger memory saves nothing");
}

/// A whole certificate without positions, for the position with this number.
fn empty(number: u128, (files, ranks): (u32, u32)) -> Vec<u8> {
    let digit = |square: u32| number / 3u128.pow(square) % 3;
    let piece = |square| ["1", "P", "p"][digit(square) as usize];
    let row = |rank| (0..files).map(|file| piece(rank * files + file)).collect();
    let rows: Vec<String> = (0..ranks).rev().map(row).collect();
    let rows = rows.join("/").replace("1111", "4");
    let rows = rows.replace("111", "3").replace("11", "2");
    format!("breakthrough certificate 1\nfen {rows} w 0 1\nwinner white\ndepth 3\nentries 0\n\n")
        .into_bytes()
}

#[test]
fn a_position_is_known_only_when_it_is_checked_elsewhere() {
    let start = Position::<u64>::start(4, 5).unwrap();
    let data = grown(&start, 100, 1).to_bytes();
    let short = Short::new(&data, 1, &mut |_, _| true).unwrap();
    let check_empty = |number| check(&empty(number, (4, 5)), 1, &mut |_, _| true);
    let claims: HashSet<u128> = short.claims().map(|(number, _)| number).collect();
    let (mut refused, mut not_asked) = (0, 0);
    for index in 0..short.leaves() {
        let mut is_first = true;
        let mut asked = Vec::new();
        let mut claimed = |numbers: &[u128]| {
            asked.extend_from_slice(numbers);
            let is_first = std::mem::take(&mut is_first);
            let is_claimed = |number| u128::from(!is_first && claims.contains(number));
            let bits = numbers.iter().map(is_claimed).zip(0..);
            bits.fold(0, |all, (bit, index)| all | bit << index)
        };
        let mut prover = Prover(
            LeafProver::new(start.geometry(), 100)
                .unwrap()
                .with_node_limit(1600),
        );
        let proof = prover.certificate(&short.leaf(index), &mut claimed);
        let proof = proof.unwrap();
        let memory = CheckedPositions::new(1 << 10, 80).unwrap();
        let silent = short.check_leaf(index, &mut Liar(proof.clone(), Vec::new()), Some(&memory));
        not_asked += usize::from(silent.is_err());
        for (left_out, data) in thinned(&proof).into_iter().step_by(5) {
            let memory = CheckedPositions::new(1 << 10, 80).unwrap();
            let asked = asked.iter().copied().chain([left_out]);
            let mut witness = Liar(data, asked.collect());
            let mut check = |memory| short.check_leaf(index, &mut witness, Some(memory));
            let Err(error) = check(&memory) else {
                // It is won within three plies, which the prover had not seen.
                assert!(check_empty(left_out).is_ok());
                continue;
            };
            let error = error.to_string();
            assert!(error.contains("refutes") || error.contains("not covered"));
            assert!(check_empty(left_out).is_err());
            refused += 1;
            memory.keep(left_out);
            check(&memory).unwrap();
        }
    }
    assert!(refused > 100, "{refused}");
    // Positions claimed elsewhere may be left out only after asking for them.
    assert!(not_asked > 0);
}

#[test]
fn building_goes_on_from_a_draft_in_another_process() {
    let start = Position::<u128>::start(4, 5).unwrap();
    let provers = provers(&start, 30, 1);
    let mut solver = Solver::new(start.geometry(), 1 << 24).unwrap();
    let mut builder = begun(&start, &solver, &provers, 30);
    let mut steps = 0;
    while advance(&mut builder, &solver, &provers) != StepResult::Done {
        steps += 1;
        if steps % 7 == 0 {
            let draft = builder.draft();
            let counts = builder.counts();
            builder = CertificateBuilder::resume(&start, 3, 30, &draft).unwrap();
            assert_eq!((builder.counts(), builder.draft()), (counts, draft));
            // The contents of the table are lost.
            solver = Solver::new(start.geometry(), 1 << 24).unwrap();
        }
    }
    assert!(steps > 20);
    let data = builder.certificate().unwrap().to_bytes();
    assert!(
        !proven(&data, &Position::start(4, 5).unwrap(), 30)
            .unwrap()
            .1
    );
    let draft = builder.draft();
    let other = Position::<u128>::start(4, 6).unwrap();
    assert!(CertificateBuilder::resume(&other, 3, 30, &draft).is_err());
    assert!(CertificateBuilder::resume(&start, 5, 30, &draft).is_err());
    assert!(CertificateBuilder::resume(&start, 3, 31, &draft).is_err());
    for index in (0..draft.len()).step_by(11) {
        let mut bad = draft.clone();
        bad[index] ^= 16;
        assert!(
            CertificateBuilder::resume(&start, 3, 30, &bad).is_err(),
            "{index}"
        );
    }
}

#[test]
fn a_builder_reports_how_far_it_is_and_the_first_move() {
    // A position, its mirror image, and the other colour's view.
    let fen = "ppp/pp1/2p/3/2P/PPP/PP1 w 0 1";
    let mirrored = "ppp/1pp/p2/3/P2/PPP/1PP w 0 1";
    let first = Position::<u128>::from_fen(fen).unwrap();
    let mut found = Vec::new();
    for position in [
        first,
        Position::from_fen(mirrored).unwrap(),
        first.flipped(),
    ] {
        let provers = provers(&position, 20, 1);
        let solver = Solver::new(position.geometry(), 1 << 24).unwrap();
        let mut builder = begun(&position, &solver, &provers, 20);
        let BuilderCounts {
            kept,
            leaves,
            open,
            nodes: mut spent,
        } = builder.counts();
        assert_eq!((kept, leaves, open), (0, 0, 1));
        assert_eq!(builder.first_move(), None);
        let mut steps = 0;
        while advance(&mut builder, &solver, &provers) != StepResult::Done {
            steps += 1;
            let BuilderCounts { kept, nodes, .. } = builder.counts();
            assert_eq!(kept, steps);
            assert!(nodes > spent, "{nodes}");
            spent = nodes;
        }
        let BuilderCounts {
            kept, leaves, open, ..
        } = builder.counts();
        let data = builder.certificate().unwrap().to_bytes();
        let short = Short::new(&data, 1, &mut |_, _| true).unwrap();
        assert_eq!((kept, leaves, open), (steps, short.leaves(), 0));
        let known = ProofBook::new(&data)
            .unwrap()
            .lookup(&position, &|| false)
            .unwrap();
        assert_eq!(builder.first_move(), Some(known.best));
        found.push((kept, leaves, spent));
    }
    assert!(found[0].0 > 5 && found[0].1 > 5, "{found:?}");
    assert_eq!(found[0], found[2]);
}

#[test]
fn a_builder_that_is_stopped_among_leaves_goes_on() {
    const NODES: u64 = 100;
    let start = Position::<u128>::start(4, 5).unwrap();
    let solver = Solver::new(start.geometry(), 1 << 24).unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let limit = Arc::new(AtomicUsize::new(0));
    let prover = || LeafProver::new(start.geometry(), NODES).unwrap();
    let stopped = || {
        let (asked, limit) = (Arc::clone(&asked), Arc::clone(&limit));
        prover().stopped_by(move || asked.fetch_add(1, Relaxed) >= limit.load(Relaxed))
    };
    assert_eq!(stopped().decide(&start), None);
    assert_eq!(asked.load(Relaxed), 1, "it does not begin");
    let begun =
        |provers: &[_]| CertificateBuilder::begin(&solver, &start, Side::Black, 5, provers, NODES);
    let begun_in_vain = begun(&[stopped()]).err();
    assert_eq!(begun_in_vain, Some(BuildError::Stopped));
    // Stopped again and again, each time a little later.
    let mut builder = begun(&[prover()]).unwrap();
    let provers = [stopped()];
    let mut stops = 0;
    for more in 1.. {
        limit.store(more, Relaxed);
        asked.store(0, Relaxed);
        let before = builder.counts();
        match builder.advance(
            &solver,
            &provers,
            &ProofLimits::default(),
            &|| false,
            &mut |_| {},
        ) {
            Ok(StepResult::Done) => break,
            Ok(StepResult::More) => {}
            Ok(StepResult::CutOff) => {
                stops += 1;
                let after = builder.counts();
                assert_eq!((before.kept, before.open), (after.kept, after.open));
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(stops > 3, "{stops} stops");
    let data = builder.certificate().unwrap().to_bytes();
    let short = Short::new(&data, 1, &mut |_, _| true).unwrap();
    let mut witness = Prover(prover().with_node_limit(16 * NODES));
    for index in 0..short.leaves() {
        short.check_leaf(index, &mut witness, None).unwrap();
    }
}
