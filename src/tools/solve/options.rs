//! The options of `petard solve`.

use crate::base::cores;
use crate::game::breakthrough::parse_board_size;
use crate::solve::DEPTHS;
use crate::tools::{parse_interval, parse_seconds};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// The most nodes that a leaf of a short certificate may take, by its format.
const MAX_LEAF_NODES: u64 = 1_000_000_000;

/// Prove who wins a position
///
/// Prints the winner, a winning move, and a line, for positions of Breakthrough.
///
/// Exit status: 0 solved; 3 not solved, or certificate or list of all winning
/// moves incomplete (out of time or nodes, or interrupted); 1 error, also if solved but a file
/// cannot be written; 2 wrong arguments. With --stdin: 0 at the end of the input, 1 if a
/// line was refused, 130 interrupted.
#[derive(Debug, Args)]
pub(crate) struct Solve {
    /// Solve the start position of this board, files x ranks
    #[arg(long, value_name = "WxH", default_value = "8x8", value_parser = parse_board_size)]
    pub(crate) board: (usize, usize),
    /// Solve this position, on any board
    #[arg(long, value_name = "FEN", conflicts_with = "board")]
    pub(crate) fen: Option<String>,
    /// Solve positions from standard input, one FEN per line, all on one board;
    /// print a JSON object for each, and keep the table between them. A line that is
    /// not such a position is reported with its number, and the rest is solved
    #[arg(long, conflicts_with_all = ["board", "fen", "first_move", "all_moves", "certificate"])]
    pub(crate) stdin: bool,
    /// Threads [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Maximum table size in MB, rounded down to a power of two; memory is used as
    /// the table fills. The default grows with the board: 16 for 5x5, 128 for 4x7 and
    /// 7x5, 1024 for 6x6
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 22))]
    pub(crate) hash: Option<u64>,
    /// Stop after this many seconds, in the middle of a line or certificate too
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    pub(crate) time: Option<Duration>,
    /// Stop after this many nodes; with one thread, the answer is the same
    /// every time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Resume from this file if it exists, and save it at intervals and at the end,
    /// also when interrupted (Ctrl-C, SIGTERM, SIGHUP): the table, which serves all
    /// positions of a board, and a short certificate that is not complete. Nodes and
    /// times are then totals over all runs. --hash may grow between runs
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Save --resume's file at this interval [default: 60, or 20 times as long as
    /// saving takes]
    #[arg(long, value_name = "SECONDS", value_parser = parse_interval, requires = "resume")]
    pub(crate) save: Option<Duration>,
    /// Begin with the table in another proof's --resume file, which is only read. If it is
    /// larger than --hash, keep the positions that took the most work. Ignored if the file
    /// of --resume exists
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Assume what this short certificate proves: do not prove it again. Check it first,
    /// with `petard check`. What --resume saves with it can only be resumed with it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "from"])]
    pub(crate) trust: Option<PathBuf>,
    /// Prove this move first, and search for others only if it loses. Without a
    /// guess, the work is divided among the first moves until one is ahead
    #[arg(long, value_name = "MOVE")]
    pub(crate) first_move: Option<String>,
    /// Find all winning first moves, as far as --time and --nodes allow
    #[arg(long)]
    pub(crate) all_moves: bool,
    /// Write a proof that `petard check` and scripts/check_certificate.py can check
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Leave wins within this many plies (odd) to the certificate's checker
    #[arg(long, value_name = "PLIES", default_value_t = 5, value_parser = parse_depth)]
    pub(crate) certificate_depth: u8,
    /// Write a short certificate: leave out positions that a prover starting
    /// from scratch decides within N nodes. It takes long: --resume keeps what has
    /// been found so far
    #[arg(long, value_name = "N", requires = "certificate",
          value_parser = clap::value_parser!(u64).range(1..=MAX_LEAF_NODES))]
    pub(crate) leaf_nodes: Option<u64>,
    /// With --leaf-nodes: leave out what the solver, knowing all the rest, has
    /// proven within N nodes. The file is shorter and takes a fraction of the
    /// time to make, but a prover starting from scratch may need far more nodes
    /// for a leaf, and so may the engine when it plays by the file
    #[arg(long, requires = "leaf_nodes")]
    pub(crate) shared_leaves: bool,
    /// With --json, if the winner is unknown: also report the proof numbers of
    /// the moves in all positions that took at least 1/N of the nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 16))]
    pub(crate) opened: Option<u64>,
    /// Print one JSON object as the last line
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not report progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl Solve {
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(cores, usize::from)
    }
}

/// Reads how deep a checker may have to look.
fn parse_depth(text: &str) -> Result<u8, String> {
    let depth = text.parse().ok().filter(|depth| DEPTHS.contains(depth));
    depth
        .filter(|depth| depth % 2 == 1)
        .ok_or_else(|| "not an odd number from 1 to 9".to_owned())
}
