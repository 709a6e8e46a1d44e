//! `petard solve`: proves who wins a position.

mod certificate;
mod options;
mod report;
mod run;

pub(crate) use options::Solve;

use super::console::{print, report_error};
use super::files::{AtomicFile, file_error, overwrites};
use super::job::INTERRUPTED;
use crate::game::breakthrough::Position;
use crate::game::{FenError, Game as _, Move, Notation};
use crate::solve::Spent;
use report::{FirstMoves, json, moves_report, peak_megabytes, report};
use run::Run;
use serde_json::json as object;
use std::error::Error;
use std::io::{self, BufRead, ErrorKind, Read as _, stdin};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::spawn;
use std::time::Duration;

/// The exit status of a position that was not solved.
const NOT_SOLVED: u8 = 3;

impl Solve {
    pub(crate) fn run(&self) -> Result<ExitCode, Box<dyn Error>> {
        if self.stdin {
            return self.solve_lines();
        }
        self.solve(&self.position()?)
    }

    fn position(&self) -> Result<Position<u128>, FenError> {
        match &self.fen {
            Some(fen) => Position::from_fen(fen),
            None => Position::start(self.board.0, self.board.1),
        }
    }

    /// Solves the positions on standard input, until it ends.
    fn solve_lines(&self) -> Result<ExitCode, Box<dyn Error>> {
        let mut input = InputLines::begin();
        while let Some(line) = input.next(&|| false)? {
            match Position::from_fen(&line) {
                Ok(first) => return self.solve_lines_of_board(&first, input),
                Err(error) => input.refuse(&error.to_string())?,
            }
        }
        input.end()
    }

    fn solve_lines_of_board(
        &self,
        first: &Position<u128>,
        mut input: InputLines,
    ) -> Result<ExitCode, Box<dyn Error>> {
        self.check_files()?;
        let mut run = Run::begin(self, first)?;
        let end = self.answer_all(&mut run, first, &mut input);
        run.save()?;
        end?;
        match run.job.interrupt.is_raised() {
            true => Ok(ExitCode::from(INTERRUPTED)),
            false => input.end(),
        }
    }

    /// Answers the first position and all that follow on standard input.
    fn answer_all(
        &self,
        run: &mut Run<'_>,
        first: &Position<u128>,
        input: &mut InputLines,
    ) -> Result<(), Box<dyn Error>> {
        let mut next = Some(*first);
        loop {
            if let Some(position) = next {
                run.spent = Spent::default();
                let mut solution = run.search(&position, None);
                (solution.nodes, solution.time) = (run.spent.nodes, run.spent.time);
                let moves = FirstMoves::one(solution.line.first().copied());
                let trusted = self.trust.as_deref();
                let answer = json(&run.solver, &position, &solution, &moves, trusted);
                print(&format!("{answer}\n"))?;
            }
            let interrupt = run.job.interrupt.clone();
            let Some(line) = input.next(&|| interrupt.is_raised())? else {
                return Ok(());
            };
            next = match Position::from_fen(&line) {
                Ok(position) if position.geometry() == first.geometry() => Some(position),
                Ok(_) => {
                    let (files, ranks) = first.board_size();
                    input.refuse(&format!(
                        "'{line}' is not on {files}x{ranks} like the first"
                    ))?;
                    None
                }
                Err(error) => {
                    input.refuse(&error.to_string())?;
                    None
                }
            };
        }
    }

    /// Makes sure that nothing that is written overwrites something else: the
    /// checkpoint, the certificate, and what is only read.
    fn check_files(&self) -> Result<(), Box<dyn Error>> {
        let outputs = [&self.resume, &self.certificate];
        for (output, other) in [(outputs[0], outputs[1]), (outputs[1], outputs[0])] {
            let Some(output) = output else { continue };
            let mut others = [other, &self.from, &self.trust].into_iter().flatten();
            if let Some(other) = others.find(|other| overwrites(output, other)) {
                let error = format!("'{}' would overwrite it", output.display());
                return Err(file_error(other, &error));
            }
        }
        Ok(())
    }

    /// The move to prove first, if there is one.
    fn first_move(&self, position: &Position<u128>) -> Result<Option<Move>, Box<dyn Error>> {
        let parse = |text: &String| position.parse_move(text);
        let first = self.first_move.as_ref().map(parse).transpose();
        first.map_err(|error| format!("--first-move: {error}").into())
    }

    fn solve(&self, position: &Position<u128>) -> Result<ExitCode, Box<dyn Error>> {
        let tried_first = self.first_move(position)?;
        self.check_files()?;
        // Find out early what cannot be written: solving may take hours.
        let certificate = self.certificate.as_deref().map(AtomicFile::begin);
        let certificate = certificate.transpose()?;
        let mut run = Run::begin(self, position)?;
        let is_resumed = run.unfinished.is_some();
        let mut solution = match run.solution_of_draft(position) {
            Some(solution) => solution,
            None => run.search(position, tried_first),
        };
        let wins = solution.side_to_move_wins;
        let first = solution.line.first().copied();
        let mut moves = FirstMoves::one(first);
        let tries_all = self.all_moves && wins == Some(true);
        // The answer comes first, and whatever can be saved is saved, even if
        // the output is closed or one of the files cannot be written.
        let answer = report(position, &solution, first.filter(|_| !tries_all));
        let mut done = vec![print(&answer).map_err(Into::into)];
        // What follows may take long.
        if tries_all || certificate.is_some() && wins.is_some() && !is_resumed {
            run.save_so_far();
        }
        if tries_all {
            moves = run.all_first_moves(position, first);
            done.push(print(&moves_report(position, &moves)).map_err(Into::into));
        }
        let mut is_complete = wins.is_some() && moves.undecided.is_empty();
        if let (Some(file), Some(wins)) = (certificate, wins) {
            let written = match self.leaf_nodes {
                None => run.write_whole(file, position, &solution),
                Some(nodes) => {
                    let side = position.side_to_move();
                    let winner = if wins { side } else { !side };
                    run.write_short(file, position, winner, nodes)
                }
            };
            done.push(written.map(|complete| is_complete &= complete));
        }
        done.push(run.save());
        let peak = peak_megabytes(&run.solver);
        let mut last = format!("peak memory: {peak} MB\n");
        if self.json {
            (solution.nodes, solution.time) = (run.total.nodes, run.total.time);
            let trusted = self.trust.as_deref();
            let answer = json(&run.solver, position, &solution, &moves, trusted);
            last += &format!("{answer}\n");
        }
        done.push(print(&last).map_err(Into::into));
        done.into_iter().collect::<Result<(), _>>()?;
        Ok(if is_complete {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(NOT_SOLVED)
        })
    }
}

/// Bytes of the longest line that is read.
const MAX_LINE: u64 = 1 << 16;

/// How many lines are read ahead.
const MAX_WAITING_LINES: usize = 1000;

/// The next line without its end and without a byte order mark before it; `None` at the
/// end of the input. A line that is too long, or no text, is an error of the kind
/// `InvalidData`, and is passed over.
fn read_line(input: &mut impl BufRead) -> Option<io::Result<String>> {
    let invalid = |text: &str| Err(io::Error::new(ErrorKind::InvalidData, text));
    let mut line = Vec::new();
    let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
    Some(match read {
        Ok(0) => return None,
        Err(error) => Err(error),
        Ok(_) if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") => input
            .skip_until(b'\n')
            .and_then(|_| invalid(&format!("it is longer than {MAX_LINE} bytes"))),
        Ok(_) => match String::from_utf8(line) {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                Ok(text.trim_end_matches(['\r', '\n']).to_owned())
            }
            Err(_) => invalid("it is not UTF-8"),
        },
    })
}

/// The lines of standard input, with their numbers.
struct InputLines {
    lines: Receiver<io::Result<String>>,
    number: u64,
    refused: u64,
}

impl InputLines {
    fn begin() -> Self {
        let (sender, lines) = sync_channel(MAX_WAITING_LINES);
        spawn(move || {
            let mut input = stdin().lock();
            while let Some(line) = read_line(&mut input) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            lines,
            number: 0,
            refused: 0,
        }
    }

    /// The next line, or `None` at the end or once the caller gives up. What is not
    /// text is refused.
    fn next(&mut self, gives_up: &dyn Fn() -> bool) -> Result<Option<String>, Box<dyn Error>> {
        loop {
            match self.lines.recv_timeout(Duration::from_millis(50)) {
                _ if gives_up() => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(line) => {
                    self.number += 1;
                    match line {
                        Ok(line) => return Ok(Some(line)),
                        Err(error) if error.kind() == ErrorKind::InvalidData => {
                            self.refuse(&error.to_string())?;
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
    }

    /// Reports that the line is not a position to solve, to programs and people.
    fn refuse(&mut self, error: &str) -> Result<(), Box<dyn Error>> {
        self.refused += 1;
        report_error(&format!("line {}: {error}", self.number));
        let answer = object!({"line": self.number, "error": error});
        Ok(print(&format!("{answer}\n"))?)
    }

    fn end(&self) -> Result<ExitCode, Box<dyn Error>> {
        match self.refused {
            0 => Ok(ExitCode::SUCCESS),
            _ => Ok(ExitCode::FAILURE),
        }
    }
}
