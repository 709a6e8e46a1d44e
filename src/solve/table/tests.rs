use super::super::keys::Key;
use super::*;

const NUMBERS: Numbers = Numbers { phi: 3, delta: 5 };

/// The smallest table there is, and a key for it.
fn table() -> (ProofTable, u64) {
    (ProofTable::new(0, 32).expect("1 KB"), 123_456_789)
}

#[test]
fn expensive_entries_stay_though_revisiting_them_was_cheap() {
    let (table, costly) = table();
    table.put(costly, NUMBERS, 1 << 12);
    table.put(costly, NUMBERS, 1);
    for key in 0..10_000 {
        table.put(key, NUMBERS, 1 << 6);
    }
    let found = table.get(costly).expect("the most expensive entry");
    assert_eq!((found.numbers, found.work), (NUMBERS, 12));
}

#[test]
fn of_entries_that_are_alike_none_stays_for_ever() {
    let (table, _) = table();
    for key in 0..10_000 {
        table.put(key, NUMBERS, 1);
    }
    let oldest = (0..1000).filter(|&key| table.get(key).is_some());
    assert_eq!(oldest.count(), 0);
    let all = (0..10_000).filter(|&key| table.get(key).is_some());
    assert_eq!(all.count(), table.buckets().words().len());
}

#[test]
fn keys_are_known_from_their_places() {
    for (bytes, key_bits) in [(0, 1), (0, 13), (1 << 20, 20), (1 << 16, 47), (0, 64)] {
        let layout = Layout::new(bytes, key_bits);
        let last = u64::MAX >> (64 - key_bits);
        for number in (0..2000).chain(last.saturating_sub(2000)..=last) {
            for key in [number, number.wrapping_mul(SPREAD)].map(|key| key & last) {
                let (index, rest) = layout.place(key);
                assert!(index < 1 << layout.index_bits);
                assert_eq!(layout.key(index, rest), key, "{key_bits} bits");
            }
        }
    }
}

/// Checks that a larger table knows all that the smaller one did.
fn is_taken_over<K: Key>(key_bits: u32, key: impl Fn(u64) -> K) {
    let table = |bytes| K::Table::new(bytes, key_bits).expect("less than a megabyte");
    let (small, large) = (table(1 << 14), table(1 << 18));
    let keys = (0..1 << 12).map(|number: u64| key(number.wrapping_mul(SPREAD) >> (64 - 12)));
    for (work, key) in (0..).zip(keys.clone()) {
        let numbers = match work % 5 {
            0 => Numbers::WON,
            1 => Numbers::LOST,
            _ => Numbers {
                phi: work + 1,
                delta: (1 << 31) - work,
            },
        };
        small.put(key, numbers, u64::from(work) << (work % 4));
    }
    let words = small
        .buckets()
        .words()
        .iter()
        .map(|word| word.load(Relaxed));
    let words: Vec<u64> = words.collect();
    for (index, bucket) in words.chunks(BUCKET).enumerate() {
        large.import_bucket(words.len(), index, bucket);
    }
    let mut kept = 0;
    for key in keys {
        let known = |table: &K::Table| table.get(key).map(|f| (f.numbers, f.work));
        assert_eq!(known(&large), known(&small));
        kept += usize::from(known(&small).is_some());
    }
    assert!(kept > words.len() / 5, "{kept} of {}", words.len());
}

#[test]
fn a_larger_table_takes_all_over() {
    for key_bits in [12, 20, 41] {
        is_taken_over::<u64>(key_bits, |number| number);
    }
    is_taken_over::<u128>(80, |number| u128::from(number) << 61 | u128::from(number));
}

/// Checks that a table of 8 MB starts with 2 and loses nothing as it grows.
fn grows<K: Key>(key_bits: u32, key: impl Fn(u64) -> K) {
    let table = K::Table::new(8 << 20, key_bits).expect("8 MB");
    let size = || 8 * table.buckets().words().len();
    assert_eq!(size(), 2 << 20);
    let keys = |count| (0..count).map(|number: u64| key(number.wrapping_mul(SPREAD) >> 23));
    let mut count = 0;
    while !table.is_crowded() {
        for key in keys(count + 1000).skip(count as usize) {
            table.put(key, NUMBERS, 1 << (count % 8));
        }
        count += 1000;
    }
    let known = || -> Vec<_> {
        keys(count)
            .map(|key| table.get(key).map(|found| (found.numbers, found.work)))
            .collect()
    };
    let before = known();
    assert!(before.iter().flatten().count() > count as usize * 9 / 10);
    for megabytes in [4, 8] {
        assert!(table.grow(2));
        assert_eq!(size(), megabytes << 20);
        assert!(known() == before, "{megabytes} MB");
    }
    // Nothing that it knows takes a second place.
    let full = table.per_mille();
    for (key, found) in keys(count).zip(&before) {
        if let Some((numbers, _)) = found {
            table.put(key, *numbers, 1);
        }
    }
    assert!(known() == before && table.per_mille() == full);
    assert!(
        !table.is_crowded() && !table.grow(2),
        "it has its full size"
    );
}

#[test]
fn a_table_grows_and_forgets_nothing() {
    grows::<u64>(41, |number| number);
    grows::<u128>(80, |number| u128::from(number) << 31 | u128::from(number));
}

#[test]
fn numbers_are_as_long_while_a_table_grows() {
    for key_bits in [20, 41, 48, 58, 64] {
        for megabytes in [1, 16, 512, 1 << 14] {
            let layout = Layout::new(megabytes << 20, key_bits);
            let fewest = layout.fewest().max(4);
            assert!(fewest <= layout.index_bits);
            let begin = Layout::new(64 << fewest, key_bits);
            assert_eq!(
                begin.digits, layout.digits,
                "{key_bits} bits, {megabytes} MB"
            );
        }
    }
}

#[test]
fn what_is_proven_stays_until_it_must_make_way() {
    fn stays<K: Key>(key_bits: u32, key: K) {
        let table = K::Table::new(0, key_bits).expect("1 KB");
        table.put(key, Numbers::WON, 1);
        table.put(key, NUMBERS, 1 << 12);
        assert!(table.get(key).expect("it is there").numbers.won());
    }
    stays(32, 123_456_789_u64);
    stays(80, 123_456_789_u128 << 40);
}

#[test]
fn a_sample_tells_how_many_words_are_not_0() {
    for (bits, used_bits) in [(4, 4), (12, 12), (12, 11)] {
        let buckets = Buckets::new(bits, used_bits).unwrap();
        assert_eq!(buckets.per_mille(0..BUCKET, 1), 0);
        // The first and the third word of all buckets in use.
        for bucket in buckets.words().chunks(BUCKET) {
            bucket[0].store(1, Relaxed);
            bucket[2].store(u64::MAX, Relaxed);
        }
        assert_eq!(buckets.per_mille(0..BUCKET, 1), 250);
        assert_eq!(buckets.per_mille(0..4, 2), 1000);
        assert_eq!(buckets.per_mille(1..4, 2), 0);
        assert_eq!(buckets.per_mille(0..3, 1), 666);
        // Only every second bucket.
        for bucket in buckets.words().chunks(2 * BUCKET) {
            bucket[0].store(0, Relaxed);
        }
        let expected = if used_bits > 10 { 0 } else { 500 };
        let found = buckets.per_mille(0..1, 1);
        // A sample of every second bucket, the even ones, has none of them.
        assert_eq!(found, expected, "{bits} {used_bits}");
        buckets.clear();
        assert_eq!(buckets.per_mille(0..BUCKET, 1), 0);
    }
}
