//! Writing a short certificate: it is saved as it grows, and moved into place
//! when it is complete.

use super::Solve;
use super::run::Run;
use crate::base::Side;
use crate::game::Game as _;
use crate::game::breakthrough::Position;
use crate::solve::{
    BuildError, CertificateBuilder, LeafProver, Progress, ProofLimits, Prospect, Solution,
    SolveError, Spent, StepResult,
};
use crate::tools::check::Short;
use crate::tools::console::{Status, print, tell};
use crate::tools::files::{Draft, beside, fault};
use std::error::Error;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a draft is saved by default.
const SAVE: Duration = Duration::from_secs(60);

/// How often progress is reported.
const REPORT: Duration = Duration::from_millis(500);

/// The file that keeps what has been found so far.
pub fn draft_path(path: &Path) -> PathBuf {
    beside(path, ".draft")
}

/// What an earlier process has begun; `None` if there is no draft.
///
/// # Errors
/// If the draft cannot be read, or is for something else.
pub fn resumed(
    path: &Path,
    position: &Position<u128>,
    depth: u8,
    (leaf_nodes, shared): (u64, bool),
) -> Result<Option<CertificateBuilder>, Box<dyn Error>> {
    let path = draft_path(path);
    match std::fs::read(&path) {
        Ok(data) => {
            let growth = CertificateBuilder::resume(position, depth, leaf_nodes, &data);
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

/// What a draft says about the position; nothing but this is spent on it.
pub fn known(growth: &CertificateBuilder, position: &Position<u128>, spent: Spent) -> Solution {
    let wins = growth.winner() == position.side_to_move();
    let numbers = if wins {
        (Some(0), None)
    } else {
        (None, Some(0))
    };
    Solution {
        side_to_move_wins: Some(wins),
        line: growth.first_move().into_iter().collect(),
        prospect: Prospect {
            proof: numbers.0,
            disproof: numbers.1,
        },
        nodes: spent.nodes,
        time: spent.time,
    }
}

impl Solve {
    /// The provers of the leaves, which give up when the run is over.
    fn leaf_provers(
        &self,
        run: &Run<'_>,
        position: &Position<u128>,
        leaf_nodes: u64,
    ) -> Result<Vec<LeafProver>, SolveError> {
        let end = self.end(run);
        let stopped = |prover: LeafProver| {
            let interrupt = run.interrupt.clone();
            prover.stopped_by(move || {
                interrupt.is_raised() || end.is_some_and(|end| Instant::now() >= end)
            })
        };
        if self.shared_leaves {
            return Ok(vec![stopped(LeafProver::sharing(run.solver, leaf_nodes))]);
        }
        let prover = |_| LeafProver::new(position.geometry(), leaf_nodes).map(stopped);
        (0..self.limits().threads).map(prover).collect()
    }

    /// Grows the certificate and writes it when complete; returns whether it is.
    pub(super) fn grow(
        &self,
        draft: Draft,
        begun: Option<CertificateBuilder>,
        run: &mut Run<'_>,
        (position, winner): (&Position<u128>, Side),
        leaf_nodes: u64,
    ) -> Result<bool, Box<dyn Error>> {
        let path = draft.path().to_owned();
        let (solver, interrupt) = (run.solver, run.interrupt);
        let usual = self.limits();
        let provers = self.leaf_provers(run, position, leaf_nodes)?;
        let depth = self.certificate_depth;
        let mut counted = begun.as_ref().map_or(0, |growth| growth.counts().3);
        let mut since = Instant::now();
        let mut growth = match begun {
            Some(growth) => growth,
            None => match CertificateBuilder::begin(
                solver, position, winner, depth, &provers, leaf_nodes,
            ) {
                Err(BuildError::Stopped) => {
                    print("certificate: not complete, nothing to keep yet\n")?;
                    return Ok(false);
                }
                begun => begun?,
            },
        };
        let save = self.save.unwrap_or(SAVE);
        let (mut saved, mut told) = (Instant::now(), Instant::now());
        let mut status = Status::new(self.quiet);
        loop {
            let left = self.time_left(run);
            let slice = left.map_or(save, |left| save.min(left));
            let limits = ProofLimits {
                time: Some(slice),
                nodes: None,
                ..usual.clone()
            };
            let stop = || interrupt.is_raised();
            let mut progress = |progress: &Progress| status.show(&progress.to_string());
            let advance = growth.advance(solver, &provers, &limits, &stop, &mut progress)?;
            let (kept, leaves, open, nodes) = growth.counts();
            let taken = since.elapsed();
            run.add(nodes - counted, taken);
            (counted, since) = (nodes, Instant::now());
            if told.elapsed() >= REPORT {
                told = Instant::now();
                status.show(&format!(
                    "{kept} positions, {leaves} leaves, {open} open, {nodes} nodes"
                ));
            }
            if advance == StepResult::Complete {
                break;
            }
            let is_late = self.time.is_some_and(|most| run.spent.time >= most);
            // A search that was cut short by anything else, such as a lack of
            // threads, would be so again.
            let is_stuck = advance == StepResult::Undecided && taken < slice;
            let ends = interrupt.is_raised() || is_late || is_stuck;
            if ends || saved.elapsed() >= save {
                match write_draft(&path, &growth) {
                    Err(fault) if !ends => tell(&format!("{fault}; trying again later")),
                    written => written?,
                }
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
        finish(draft, &growth, usual.threads)?;
        Ok(true)
    }
}

/// Writes the certificate of a complete growth, and says how large it is.
fn finish(draft: Draft, growth: &CertificateBuilder, threads: usize) -> Result<(), Box<dyn Error>> {
    let path = draft.path().to_owned();
    let certificate = growth
        .certificate()
        .ok_or("the certificate is not complete")?;
    let data = certificate.to_bytes();
    draft.finish(|output| output.write_all(&data))?;
    // The draft is no longer needed; if it stays, the same command ends at once.
    let _ = std::fs::remove_file(draft_path(&path));
    // The checker sees some wins earlier than the solver, so it has fewer leaves.
    let short = Short::new(&data, threads, &mut |_, _| true);
    let leaves = short.map_err(|error| fault(&path, &error))?.leaves();
    let (kept, .., nodes) = growth.counts();
    print(&format!(
        "certificate: {kept} positions, {leaves} leaves, {nodes} nodes\n"
    ))?;
    Ok(())
}

fn write_draft(path: &Path, growth: &CertificateBuilder) -> Result<(), Box<dyn Error>> {
    let draft = Draft::begin(&draft_path(path))?;
    draft.finish(|output| output.write_all(&growth.draft()))
}
