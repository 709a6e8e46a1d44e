//! Writing certificates: whole ones, and short ones, which grow from the root down
//! and can be resumed from a checkpoint.

use super::options::Solve;
use super::run::{Run, SliceResult};
use crate::base::Side;
use crate::game::Game as _;
use crate::game::breakthrough::Position;
use crate::solve::{
    BuildError, CertificateBuilder, LeafProver, Progress, ProofLimits, Prospect, Solution,
    SolveError, StepResult,
};
use crate::tools::checker::Short;
use crate::tools::console::print;
use crate::tools::files::{AtomicFile, file_error};
use std::error::Error;
use std::io::Write as _;
use std::time::Instant;

impl Run<'_> {
    /// What a certificate that has been begun says about the position; nothing but
    /// this is spent on it.
    pub(crate) fn known(&self, position: &Position<u128>) -> Option<Solution> {
        let growth = self.growth.as_ref()?;
        let wins = growth.winner() == position.side_to_move();
        let (proof, disproof) = match wins {
            true => (Some(0), None),
            false => (None, Some(0)),
        };
        Some(Solution {
            side_to_move_wins: Some(wins),
            line: growth.first_move().into_iter().collect(),
            prospect: Prospect { proof, disproof },
            nodes: self.total.nodes,
            time: self.total.time,
        })
    }

    /// Writes a whole certificate; returns whether there was time to make it.
    pub(crate) fn write_certificate(
        &self,
        file: AtomicFile,
        position: &Position<u128>,
        solution: &Solution,
        depth: u8,
    ) -> Result<bool, Box<dyn Error>> {
        let path = file.path().to_owned();
        let end = self.end();
        let is_late = || end.is_some_and(|end| Instant::now() >= end);
        let stop = || self.job.interrupt.is_raised() || is_late();
        let certificate = match self.solver.certificate(position, solution, depth, &stop) {
            Err(SolveError::Stopped) => {
                print("certificate: not complete, nothing is written\n")?;
                return Ok(false);
            }
            made => made.map_err(|error| file_error(&path, &error))?,
        };
        file.finish(|output| certificate.write(output))?;
        print(&format!("certificate: {} positions\n", certificate.len()))?;
        Ok(true)
    }

    /// The provers of the leaves, which give up when the run is over.
    fn leaf_provers(
        &self,
        position: &Position<u128>,
        command: &Solve,
        leaf_nodes: u64,
    ) -> Result<Vec<LeafProver>, SolveError> {
        let end = self.end();
        let stopped = |prover: LeafProver| {
            let interrupt = self.job.interrupt.clone();
            prover.stopped_by(move || {
                interrupt.is_raised() || end.is_some_and(|end| Instant::now() >= end)
            })
        };
        if command.shared_leaves {
            return Ok(vec![stopped(LeafProver::sharing(&self.solver, leaf_nodes))]);
        }
        let prover = |_| LeafProver::new(position.geometry(), leaf_nodes).map(stopped);
        (0..command.threads()).map(prover).collect()
    }

    /// Grows a short certificate and writes it when complete; returns whether it is.
    pub(crate) fn grow(
        &mut self,
        file: AtomicFile,
        command: &Solve,
        (position, winner): (&Position<u128>, Side),
        leaf_nodes: u64,
    ) -> Result<bool, Box<dyn Error>> {
        let provers = self.leaf_provers(position, command, leaf_nodes)?;
        if self.growth.is_none() {
            let (start, depth) = (Instant::now(), command.certificate_depth);
            let growth = match CertificateBuilder::begin(
                &self.solver,
                position,
                winner,
                depth,
                &provers,
                leaf_nodes,
            ) {
                Err(BuildError::Stopped) => {
                    print("certificate: not complete, nothing to keep yet\n")?;
                    return Ok(false);
                }
                begun => begun?,
            };
            self.add(growth.counts().3, start.elapsed());
            self.growth = Some(growth);
        }
        let grown = self.work(None, &mut |run, slice| {
            let Some(growth) = &mut run.growth else {
                return (SliceResult::CutOff, 0);
            };
            let before = growth.counts().3;
            let limits = ProofLimits {
                nodes: None,
                ..slice.clone()
            };
            let (interrupt, status) = (&run.job.interrupt, &mut run.job.status);
            let stop = || interrupt.is_raised();
            let mut progress = |progress: &Progress| status.show(&progress.to_string());
            let advance = growth.advance(&run.solver, &provers, &limits, &stop, &mut progress);
            let (kept, leaves, open, nodes) = growth.counts();
            run.job
                .show(|| format!("{kept} positions, {leaves} leaves, {open} open, {nodes} nodes"));
            let step = match advance {
                Ok(StepResult::Complete) => SliceResult::Done(Ok(())),
                Ok(StepResult::Kept) => SliceResult::Progress,
                Ok(StepResult::Undecided) => SliceResult::CutOff,
                Err(error) => SliceResult::Done(Err(error)),
            };
            (step, nodes - before)
        });
        self.job.status.end();
        let is_complete = grown.transpose()?.is_some();
        let (Some(growth), true) = (&self.growth, is_complete) else {
            self.report_incomplete()?;
            return Ok(false);
        };
        finish(file, growth, command.threads())?;
        self.growth = None;
        Ok(true)
    }

    fn report_incomplete(&self) -> Result<(), Box<dyn Error>> {
        let (kept, leaves, open, _) = self
            .growth
            .as_ref()
            .map_or((0, 0, 0, 0), CertificateBuilder::counts);
        let next = match self.job.checkpoint {
            Some(_) => "the same command resumes",
            None => "with --resume FILE it could be resumed",
        };
        Ok(print(&format!(
            "certificate: not complete, {kept} positions, {leaves} leaves, {open} open; {next}\n"
        ))?)
    }
}

/// Writes the certificate of a complete growth, and reports how large it is.
fn finish(
    file: AtomicFile,
    growth: &CertificateBuilder,
    threads: usize,
) -> Result<(), Box<dyn Error>> {
    let path = file.path().to_owned();
    let certificate = growth
        .certificate()
        .ok_or("the certificate is not complete")?;
    let data = certificate.to_bytes();
    file.finish(|output| output.write_all(&data))?;
    // The checker sees some wins earlier than the solver, so it has fewer leaves.
    let short = Short::new(&data, threads, &mut |_, _| true);
    let leaves = short.map_err(|error| file_error(&path, &error))?.leaves();
    let (kept, .., nodes) = growth.counts();
    print(&format!(
        "certificate: {kept} positions, {leaves} leaves, {nodes} nodes\n"
    ))?;
    Ok(())
}
