//! `petard bench`: the signature of search and evaluation, and its speed.

use crate::engine::{BENCH_DEPTH, bench};
use crate::search::Control;
use clap::Args;
use std::sync::Arc;

/// Searches a fixed set of positions; the last line is `N nodes M nps`, and N
/// is the same for the same search and evaluation on every machine.
#[derive(Debug, Args)]
pub struct Bench {
    /// Depth in plies
    #[arg(default_value_t = BENCH_DEPTH)]
    depth: u32,
}

impl Bench {
    /// Runs it.
    pub fn run(&self) {
        let result = bench(
            self.depth,
            &Arc::new(Control::new(false)),
            &mut |number, of| log::info!("position {number} of {of}"),
        );
        println!("{} nodes {} nps", result.nodes, result.nodes_per_second());
    }
}
