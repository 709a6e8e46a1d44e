//! The certificate of a run of `petard solve`: a whole one, or a short one that is
//! built in slices and may be resumed.

use super::run::Run;
use crate::base::Side;
use crate::game::Game as _;
use crate::game::breakthrough::Position;
use crate::solve::{
    BuildError, BuilderCounts, CertificateBuilder, LeafProver, Progress, Prospect, Solution,
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
    pub(crate) fn solution_of_draft(&self, position: &Position<u128>) -> Option<Solution> {
        let unfinished = self.unfinished.as_ref()?;
        let wins = unfinished.winner() == position.side_to_move();
        let (proof, disproof) = match wins {
            true => (Some(0), None),
            false => (None, Some(0)),
        };
        Some(Solution {
            side_to_move_wins: Some(wins),
            line: unfinished.first_move().into_iter().collect(),
            prospect: Prospect { proof, disproof },
            nodes: self.total.nodes,
            time: self.total.time,
        })
    }

    /// Writes a whole certificate; returns whether there was time to make it.
    pub(crate) fn write_whole(
        &self,
        file: AtomicFile,
        position: &Position<u128>,
        solution: &Solution,
    ) -> Result<bool, Box<dyn Error>> {
        let (path, depth) = (file.path().to_owned(), self.command.certificate_depth);
        let stop = self.stop_flag();
        let certificate = match self.solver.certificate(position, solution, depth, &stop) {
            Err(SolveError::Stopped) => {
                print("certificate: not complete, nothing is written\n")?;
                return Ok(false);
            }
            made => made.map_err(|error| file_error(&path, &error))?,
        };
        file.finish(|output| certificate.write(output))?;
        let positions = match certificate.len() {
            1 => "1 position".to_owned(),
            count => format!("{count} positions"),
        };
        print(&format!("certificate: {positions}\n"))?;
        Ok(true)
    }

    /// The provers of the leaves, which give up when the run is over.
    fn leaf_provers(
        &self,
        position: &Position<u128>,
        leaf_nodes: u64,
    ) -> Result<Vec<LeafProver>, SolveError> {
        let stop = self.stop_flag();
        let stopped = |prover: LeafProver| prover.stopped_by(stop.clone());
        if self.command.shared_leaves {
            return Ok(vec![stopped(LeafProver::with_table_of(
                &self.solver,
                leaf_nodes,
            ))]);
        }
        let prover = |_| LeafProver::new(position.geometry(), leaf_nodes).map(stopped);
        (0..self.command.threads()).map(prover).collect()
    }

    /// Builds a short certificate and writes it when complete; returns whether it is.
    pub(crate) fn write_short(
        &mut self,
        file: AtomicFile,
        position: &Position<u128>,
        winner: Side,
        leaf_nodes: u64,
    ) -> Result<bool, Box<dyn Error>> {
        let provers = self.leaf_provers(position, leaf_nodes)?;
        if self.unfinished.is_none() {
            let (start, depth) = (Instant::now(), self.command.certificate_depth);
            let unfinished = match CertificateBuilder::begin(
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
            self.add(unfinished.counts().nodes, start.elapsed());
            self.unfinished = Some(unfinished);
        }
        let mut failure = None;
        let is_complete = self.work(None, &mut |run, slice| {
            let Some(unfinished) = &mut run.unfinished else {
                return (StepResult::CutOff, 0);
            };
            let before = unfinished.counts().nodes;
            let (interrupt, status) = (&run.job.interrupt, &mut run.job.status);
            let stop = || interrupt.is_raised();
            let mut progress = |progress: &Progress| status.show(&progress.to_string());
            let step = unfinished.advance(&run.solver, &provers, slice, &stop, &mut progress);
            let counts = unfinished.counts();
            let nodes = counts.nodes;
            run.job.show(|| format!("{counts}, {nodes} nodes"));
            let step = step.unwrap_or_else(|error| {
                failure = Some(error);
                StepResult::Done
            });
            (step, nodes - before)
        });
        self.job.status.end();
        if let Some(error) = failure {
            return Err(error.into());
        }
        let (Some(unfinished), true) = (&self.unfinished, is_complete) else {
            self.report_incomplete()?;
            return Ok(false);
        };
        finish(file, unfinished, self.command.threads())?;
        self.unfinished = None;
        Ok(true)
    }

    fn report_incomplete(&self) -> Result<(), Box<dyn Error>> {
        let unfinished = self.unfinished.as_ref();
        let counts = unfinished.map_or_else(Default::default, CertificateBuilder::counts);
        let next = match self.job.checkpoint {
            Some(_) => "the same command resumes",
            None => "with --resume FILE it could be resumed",
        };
        Ok(print(&format!(
            "certificate: not complete, {counts}; {next}\n"
        ))?)
    }
}

/// Writes a certificate with nothing left to decide, and reports how large it is.
fn finish(
    file: AtomicFile,
    builder: &CertificateBuilder,
    threads: usize,
) -> Result<(), Box<dyn Error>> {
    let path = file.path().to_owned();
    let certificate = builder
        .certificate()
        .ok_or("the certificate is not complete")?;
    let data = certificate.to_bytes();
    file.finish(|output| output.write_all(&data))?;
    // The checker sees some wins earlier than the solver, so it has fewer leaves.
    let short = Short::new(&data, threads, &mut |_, _| true);
    let leaves = short.map_err(|error| file_error(&path, &error))?.leaves();
    let BuilderCounts { kept, nodes, .. } = builder.counts();
    print(&format!(
        "certificate: {kept} positions, {leaves} leaves, {nodes} nodes\n"
    ))?;
    Ok(())
}
