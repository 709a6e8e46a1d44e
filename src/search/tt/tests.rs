//! The table by itself.

use super::*;
use crate::base::{loss_in, win_in};

fn entry(score: Score, depth: i32) -> Entry {
    Entry {
        best: Move::new(12, 20),
        score,
        eval: -321,
        depth,
        bound: Bound::Lower,
        was_pv: true,
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
#[test]
fn all_memory_is_there_before_the_first_search() {
    /// Kilobytes resident of the mapping that an address is in: the whole process's
    /// would change with what other tests allocate and free meanwhile.
    fn resident(address: usize) -> Option<usize> {
        let text = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let has_it = |line: &&str| {
            let range = line.split_whitespace().next().and_then(|range| {
                let (start, end) = range.split_once('-')?;
                let number = |text| usize::from_str_radix(text, 16).ok();
                Some(number(start)?..number(end)?)
            });
            range.is_some_and(|range| range.contains(&address))
        };
        let lines = text.lines().skip_while(|line| !has_it(line));
        let line = lines.into_iter().find(|line| line.starts_with("Rss:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
    let mut table = Table::new(600).unwrap();
    let address = table.clusters.as_ptr() as usize;
    let Some(kilobytes) = resident(address) else {
        let reported = std::fs::exists("/proc/self/smaps").unwrap_or_default();
        assert!(
            !reported,
            "the report of what is resident is not understood"
        );
        return;
    };
    assert!(kilobytes > 500 << 10, "{kilobytes}");
    table.clear();
    let kilobytes = resident(address).unwrap();
    assert!(kilobytes > 500 << 10, "{kilobytes}");
}

#[test]
fn an_entry_comes_back_as_it_was() {
    let table = Table::new(1).unwrap();
    for (key, score) in [
        (1u64, 55),
        (u64::MAX / 3, win_in(9)),
        (u64::MAX, loss_in(14)),
    ] {
        table.store(key, 4, entry(score, 11));
        assert_eq!(table.probe(key, 4), Some(entry(score, 11)));
        assert_eq!(table.probe(key ^ 0xff00, 4), None);
    }
}

#[test]
fn bounds_cut_off_where_they_reach() {
    use Bound::{Exact, Lower, Upper};
    for (bound, cuts_off) in [
        (Lower, [false, true, true]),
        (Upper, [true, false, false]),
        (Exact, [true, true, true]),
    ] {
        assert_eq!(
            [99, 100, 101].map(|score| bound.cuts_off(score, 100)),
            cuts_off
        );
        assert_eq!(Bound::from_bits(bound as u64), bound);
    }
    // Only what is proven cuts off at any depth, on its own side of beta.
    let (win, loss) = (win_in(9), loss_in(9));
    for (score, beta, lower, upper) in [
        (win, win - 1, true, false),
        (win, win, true, false),
        (win, win + 1, false, false),
        (loss, loss - 1, false, false),
        (loss, loss, false, false),
        (loss, loss + 1, false, true),
        (50, 0, false, false),
        (50, 100, false, false),
    ] {
        let proves = |bound| {
            Entry {
                bound,
                ..entry(score, 1)
            }
            .proves(beta)
        };
        assert_eq!(
            (proves(Lower), proves(Upper)),
            (lower, upper),
            "{score} {beta}"
        );
        assert_eq!(proves(Exact), lower || upper, "{score} {beta}");
    }
}

#[test]
fn fields_do_not_touch_each_other() {
    let full = Entry {
        best: Move::new(127, 127),
        score: -1,
        eval: -1,
        depth: 255,
        bound: Bound::Exact,
        was_pv: true,
    };
    let empty = Entry {
        best: Move::NONE,
        score: 0,
        eval: 0,
        depth: 0,
        bound: Bound::Upper,
        was_pv: false,
    };
    for one in [
        full,
        empty,
        Entry {
            best: full.best,
            ..empty
        },
        Entry {
            score: NO_EVAL + 1,
            ..empty
        },
        Entry {
            eval: NO_EVAL,
            ..empty
        },
        Entry {
            depth: 255,
            ..empty
        },
        Entry {
            bound: Bound::Lower,
            ..full
        },
        Entry {
            was_pv: true,
            ..empty
        },
    ] {
        for age in [0, AGES - 1] {
            assert_eq!(unpack(pack(one, age)), one);
            assert_eq!(pack(one, age) >> 58, age);
        }
    }
    let depth_of = |depth| unpack(pack(Entry { depth, ..empty }, 0)).depth;
    assert_eq!((depth_of(-3), depth_of(300)), (0, 255));
}

#[test]
fn of_one_position_the_deeper_or_the_newer_stays() {
    let table = Table::new(1).unwrap();
    let stored = |new: Entry| {
        table.store(7, 0, new);
        table.probe(7, 0).unwrap()
    };
    stored(entry(10, 9));
    assert_eq!(stored(entry(20, 5)).depth, 9, "much shallower");
    assert_eq!(stored(entry(30, 6)).depth, 6);
    stored(entry(10, 9));
    let exact = Entry {
        bound: Bound::Exact,
        best: Move::NONE,
        ..entry(40, 1)
    };
    assert_eq!(
        stored(exact),
        Entry {
            best: entry(0, 0).best,
            ..exact
        }
    );
    stored(entry(10, 9));
    table.start_search();
    assert_eq!(stored(entry(50, 1)).depth, 1, "of an earlier search");
}

#[test]
fn of_entries_alike_the_first_goes() {
    let table = Table::new(1).unwrap();
    (1..=5).for_each(|key| table.store(key, 0, entry(0, 7)));
    let kept = [1, 2, 3, 4, 5].map(|key| table.probe(key, 0).is_some());
    assert_eq!(kept, [false, true, true, true, true]);
}

#[test]
fn a_search_ago_counts_as_four_plies() {
    // The second time, the ages wrap around in between.
    for searches in [0, AGES - 1] {
        for (depth, gone) in [(5, 4), (7, 1)] {
            let table = Table::new(1).unwrap();
            (0..searches).for_each(|_| table.start_search());
            assert_eq!(table.age.load(Relaxed), searches);
            (1..=3).for_each(|key| table.store(key, 0, entry(0, 10)));
            table.start_search();
            assert_eq!(table.age.load(Relaxed), (searches + 1) % AGES);
            table.store(4, 0, entry(0, depth));
            table.store(5, 0, entry(0, 1));
            let missing = (1..=5).find(|&key| table.probe(key, 0).is_none());
            assert_eq!(missing, Some(gone));
        }
    }
}

#[test]
fn fullness_is_of_the_present_search() {
    let mut table = Table::new(1).unwrap();
    assert_eq!((table.megabytes(), table.hashfull()), (1, 0));
    assert_eq!(Table::new(0).unwrap().megabytes(), 1);
    assert_eq!(Table::smallest().unwrap().megabytes(), 0);
    let clusters = table.clusters.len() as u64;
    for cluster in 0..100 {
        for number in 0..3 {
            // A cluster's keys begin at its fraction of the whole range.
            table.store(
                u64::MAX / clusters * cluster + 1000 + number,
                0,
                entry(0, 1),
            );
        }
    }
    assert_eq!(table.hashfull(), 300);
    table.start_search();
    assert_eq!(table.hashfull(), 0);
    table.store(1, 0, entry(0, 1));
    table.clear();
    assert!(table.probe(1, 0).is_none());
    assert_eq!((table.hashfull(), table.age.load(Relaxed)), (0, 0));
    assert_eq!(format!("{table:?}"), "Table(1 MB)");
}

#[test]
fn a_proven_result_is_counted_from_where_it_is_read() {
    let table = Table::new(1).unwrap();
    table.store(7, 6, entry(win_in(9), 1));
    assert_eq!(table.probe(7, 2).map(|e| e.score), Some(win_in(5)));
}

#[test]
fn the_shallowest_entry_goes_and_old_ones_before_it() {
    let table = Table::new(1).unwrap();
    // Keys that differ only in low bits share a cluster.
    for key in 1..=4 {
        table.store(key, 0, entry(0, 10 + key as i32));
    }
    table.store(5, 0, entry(0, 3));
    assert!(table.probe(1, 0).is_none() && table.probe(5, 0).is_some());
    for _ in 0..3 {
        table.start_search();
    }
    for key in 6..=9 {
        table.store(key, 0, entry(0, 1));
    }
    let kept = (1..=5).filter(|&key| table.probe(key, 0).is_some()).count();
    assert!(kept < 3, "old entries made room");
}

#[test]
#[cfg_attr(miri, ignore = "Miri ends where no memory is left")]
fn a_table_that_cannot_be_had_is_an_error() {
    assert!(Table::new(usize::MAX >> 21).is_err());
}
