//! The models. Each holds for the engine's source in many orders of events, and
//! soon fails with the fault that it is meant to find. `PETARD_TEST_FACTOR`
//! multiplies the number of orders.

use petard_models::searches;
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::{Arc, Mutex};
use shuttle::thread;
use std::panic::catch_unwind;

/// How many orders of events to try.
fn orders(count: usize) -> usize {
    let factor = std::env::var("PETARD_TEST_FACTOR");
    count * factor.map_or(1, |text| text.parse().expect("a whole number"))
}

/// Checks that the model holds in this many orders, half with a thread switch
/// at any step, half with few switches at any places (Burckhardt et al., "A
/// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", 2010).
fn holds(model: fn(), count: usize) {
    let config = || {
        let mut config = shuttle::Config::new();
        // The search is deep.
        config.stack_size = 1 << 20;
        config
    };
    let count = orders(count) / 2;
    shuttle::Runner::new(RandomScheduler::new(count), config()).run(model);
    shuttle::Runner::new(PctScheduler::new(3, count), config()).run(model);
}

/// Checks that the model fails within this many orders.
#[track_caller]
fn fails(model: fn(), count: usize) {
    assert!(
        catch_unwind(|| holds(model, count)).is_err(),
        "the fault that was put in is not found"
    );
}

/// Writers and a reader of one cluster: what is read for a key is what was
/// written for it, whole.
macro_rules! table {
    ($room:ident) => {
        || {
            use petard_models::game::Move;
            use petard_models::$room::search::{Bound, Entry, Table};
            let entry = |key: u64, writer: i32| Entry {
                best: Move::new(key as u8, 1),
                score: 100 * key as i32 + writer,
                eval: 10 * key as i32,
                depth: key as i32,
                bound: Bound::Exact,
                was_pv: key % 2 == 0,
            };
            let table = Arc::new(Table::smallest().expect("a few bytes"));
            let writers: Vec<_> = (0..2)
                .map(|writer| {
                    let table = Arc::clone(&table);
                    thread::spawn(move || {
                        for key in [1, 2, 3, 4, 5, 6] {
                            let key = if writer == 0 { key } else { 7 - key };
                            table.store(key, 0, entry(key, writer));
                        }
                    })
                })
                .collect();
            for key in [1, 6, 2, 5, 3, 4] {
                if let Some(found) = table.probe(key, 0) {
                    let written = [entry(key, 0), entry(key, 1)];
                    assert!(written.contains(&found), "{key}: {found:?}");
                }
            }
            for writer in writers {
                writer.join().expect("a writer");
            }
        }
    };
}

#[test]
fn the_shared_table_gives_no_torn_entry() {
    holds(table!(sound), 3000);
    fails(table!(torn_entries), 3000);
}

/// A pondering, infinite search waits to answer; a hit and a stop come from two
/// sides. It wakes up, and not before the stop.
macro_rules! hand_over {
    ($room:ident) => {
        || {
            use petard_models::$room::search::{Control, Limits};
            let control = Arc::new(Control::new(true));
            let order = Arc::new(Mutex::new(Vec::new()));
            let waits = {
                let (control, order) = (Arc::clone(&control), Arc::clone(&order));
                thread::spawn(move || {
                    let limits = Limits {
                        infinite: true,
                        ..Limits::default()
                    };
                    control.wait_until_due(&limits);
                    assert!(control.is_stopped(), "an answer before the stop");
                    order.lock().expect("no poison").push("answer");
                })
            };
            let hits = {
                let control = Arc::clone(&control);
                thread::spawn(move || control.ponder_hit())
            };
            order.lock().expect("no poison").push("stop");
            control.stop();
            waits.join().expect("the answer");
            hits.join().expect("the hit");
            assert_eq!(*order.lock().expect("no poison"), ["stop", "answer"]);
            assert!(!control.is_pondering());
        }
    };
}

#[test]
fn no_stop_and_no_ponder_hit_is_lost_or_comes_too_soon() {
    holds(hand_over!(sound), 10_000);
    fails(hand_over!(lost_stop), 10_000);
    fails(hand_over!(early_answer), 10_000);
}

/// Jobs of a thread run in order, and dropping the pool waits for all of them.
macro_rules! pool {
    ($room:ident) => {
        || {
            use petard_models::base::Host;
            use petard_models::$room::search::Threads;
            let done = Arc::new(Mutex::new(Vec::new()));
            let pool = Threads::<usize>::new(Host::System, "model", 2).expect("threads");
            for job in 0..6 {
                let done = Arc::clone(&done);
                let work = move |number: &mut usize| {
                    *number += 1;
                    done.lock().expect("no poison").push((job % 2, *number));
                };
                pool.submit(job % 2, Box::new(work));
            }
            drop(pool);
            let done = done.lock().expect("no poison");
            for thread in 0..2 {
                let own = done.iter().filter(|job| job.0 == thread);
                assert!(own.map(|job| job.1).eq(1..=3), "{done:?}");
            }
        }
    };
}

#[test]
fn the_pool_does_all_jobs_in_order_and_waits_for_them() {
    holds(pool!(sound), 2000);
    fails(pool!(jobs_cut_off), 2000);
}

#[test]
fn a_search_with_helpers_ends_and_lets_go_of_its_table() {
    holds(searches::sound, 150);
    fails(searches::table_still_in_use, 150);
}

/// A thread waiting for the work to end hears of it.
macro_rules! activity {
    ($room:ident) => {
        || {
            use petard_models::$room::activity::Activity;
            let activity = Arc::new(Activity::default());
            activity.set(true);
            let works = {
                let activity = Arc::clone(&activity);
                thread::spawn(move || activity.set(false))
            };
            activity.wait();
            assert!(!activity.get());
            works.join().expect("the work");
        }
    };
}

#[test]
fn who_waits_for_the_end_of_the_work_hears_of_it() {
    holds(activity!(sound), 2000);
    fails(activity!(unheard_end), 2000);
}

/// Writers and a reader of one bucket of the solver's table for wide keys.
macro_rules! wide_table {
    ($room:ident) => {
        || {
            use petard_models::$room::solve::numbers::Numbers;
            use petard_models::$room::solve::table::Store;
            use petard_models::$room::solve::table::WideTable;
            let key = |number: u32| u128::from(number) << 64 | u128::from(number);
            let numbers = |number: u32| Numbers {
                phi: number,
                delta: 10 * number,
            };
            let table = Arc::new(WideTable::new(0, 128).expect("a few bytes"));
            let writers: Vec<_> = [[1, 2, 3], [3, 4, 1]]
                .into_iter()
                .map(|order| {
                    let table = Arc::clone(&table);
                    thread::spawn(move || {
                        for number in order {
                            table.put(key(number), numbers(number), 1);
                        }
                    })
                })
                .collect();
            let look = || {
                for number in 1..=4 {
                    if let Some(found) = table.get(key(number)) {
                        assert_eq!(found.numbers, numbers(number));
                    }
                }
            };
            look();
            for writer in writers {
                writer.join().expect("a writer");
            }
            look();
        }
    };
}

#[test]
fn the_solvers_table_gives_no_torn_entry() {
    holds(wide_table!(sound), 10_000);
    fails(wide_table!(blind_reader), 10_000);
    fails(wide_table!(two_writers), 10_000);
}
