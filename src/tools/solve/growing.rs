//! Writing a short certificate: it is saved as it grows, and moved into place
//! when it is complete.

use super::Solve;
use crate::base::Side;
use crate::game::Game as _;
use crate::game::troyka::{Bits, Position};
use crate::solve::{Advance, Growth, LeafProver, Limits, Progress, Prospect, Solution, Solver};
use crate::tools::console::{Status, print, tell};
use crate::tools::files::{Draft, fault};
use crate::tools::interrupt::Interrupt;
use std::error::Error;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a draft is saved by default.
const SAVE: Duration = Duration::from_secs(60);

/// How often progress is reported.
const REPORT: Duration = Duration::from_millis(500);

/// The file that keeps what has been found so far.
fn draft_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".draft");
    name.into()
}

/// What an earlier process has begun; `None` if there is no draft.
///
/// # Errors
/// If the draft cannot be read, or is for something else.
pub fn resumed<B: Bits>(
    path: &Path,
    position: &Position<B>,
    depth: u8,
    (leaf_nodes, shared): (u64, bool),
) -> Result<Option<Growth<B>>, Box<dyn Error>> {
    let path = draft_path(path);
    match std::fs::read(&path) {
        Ok(data) => {
            let growth = Growth::resume(position, depth, leaf_nodes, &data);
            let growth =
                growth.map_err(|error| fault(&path, &format!("cannot resume: {error}")))?;
            if growth.shares_leaves() != shared {
                let with = if shared { "without" } else { "with" };
                return Err(fault(
                    &path,
                    &format!("it was begun {with} --shared-leaves"),
                ));
            }
            let (kept, leaves, open, _) = growth.counts();
            tell(&format!(
                "resuming from '{}': {kept} positions, {leaves} leaves, {open} open",
                path.display()
            ));
            Ok(Some(growth))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault(&path, &error)),
    }
}

/// What a draft says about the position.
pub fn known<B: Bits>(growth: &Growth<B>, position: &Position<B>) -> Solution {
    let (.., nodes) = growth.counts();
    let wins = growth.winner() == position.side_to_move();
    let numbers = if wins {
        (Some(0), None)
    } else {
        (None, Some(0))
    };
    Solution {
        side_to_move_wins: Some(wins),
        line: Vec::new(),
        prospect: Prospect {
            proof: numbers.0,
            disproof: numbers.1,
        },
        nodes,
        time: Duration::ZERO,
    }
}

impl Solve {
    /// Grows the certificate and writes it when complete; returns whether it is.
    /// The time limit counts from `begin`.
    pub(super) fn grow<B: Bits>(
        &self,
        draft: Draft,
        begun: Option<Growth<B>>,
        solver: &Solver<B>,
        (position, winner): (&Position<B>, Side),
        leaf_nodes: u64,
        (interrupt, begin): (&Interrupt, Instant),
    ) -> Result<bool, Box<dyn Error>> {
        let path = draft.path().to_owned();
        let usual = self.limits();
        let provers = if self.shared_leaves {
            vec![LeafProver::sharing(solver, leaf_nodes)]
        } else {
            (0..usual.threads)
                .map(|_| LeafProver::new(position.geometry(), leaf_nodes))
                .collect::<Result<_, _>>()?
        };
        let depth = self.certificate_depth;
        let mut growth = match begun {
            Some(growth) => growth,
            None => Growth::begin(position, winner, depth, &provers, leaf_nodes)?,
        };
        let save = self.save.unwrap_or(SAVE);
        let (mut saved, mut told) = (Instant::now(), Instant::now());
        let mut status = Status::new(self.quiet);
        loop {
            let left = self.time.map(|most| most.saturating_sub(begin.elapsed()));
            let limits = Limits {
                time: Some(left.map_or(save, |left| save.min(left))),
                nodes: None,
                ..usual.clone()
            };
            let stop = || interrupt.is_raised();
            let mut progress = |progress: &Progress| status.show(&progress.to_string());
            let advance = growth.advance(solver, &provers, &limits, &stop, &mut progress)?;
            let (kept, leaves, open, nodes) = growth.counts();
            if told.elapsed() >= REPORT {
                told = Instant::now();
                status.show(&format!(
                    "{kept} positions, {leaves} leaves, {open} open, {nodes} nodes"
                ));
            }
            if advance == Advance::Complete {
                break;
            }
            let is_late = self.time.is_some_and(|most| begin.elapsed() >= most);
            let ends = interrupt.is_raised() || is_late;
            if ends || saved.elapsed() >= save {
                write_draft(&path, &growth)?;
                saved = Instant::now();
            }
            if ends {
                status.end();
                print(&format!(
                    "certificate: not complete, {kept} positions, {leaves} leaves, {open} open; \
                     the same command resumes\n"
                ))?;
                return Ok(false);
            }
        }
        status.end();
        let (kept, leaves, _, nodes) = growth.counts();
        if let Some(certificate) = growth.certificate() {
            draft.finish(|output| output.write_all(&certificate.to_bytes()))?;
        }
        // The draft is no longer needed; if it stays, the same command ends at once.
        let _ = std::fs::remove_file(draft_path(&path));
        print(&format!(
            "certificate: {kept} positions, {leaves} leaves, {nodes} nodes\n"
        ))?;
        Ok(true)
    }
}

fn write_draft<B: Bits>(path: &Path, growth: &Growth<B>) -> Result<(), Box<dyn Error>> {
    let draft = Draft::begin(&draft_path(path))?;
    draft.finish(|output| output.write_all(&growth.draft()))
}
