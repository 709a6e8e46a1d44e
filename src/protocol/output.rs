//! The text of every answer for people and match runners. `vampirc-uci` writes the
//! standard answers that it can carry; its moves end at h8 and its distances to a
//! mate at 127, so `bestmove` and `info` with a score are written here.

use crate::engine::{
    Board, Bound, Chances, Ending, Engine, Evaluation, Event, Info, OptionKind, OptionSpec,
    Outcome, Progress, ProofResult, Score, Side, Term, Variant, mate_plies, nodes_per_second,
};
use std::fmt::Write as _;
use vampirc_uci::{UciMessage, UciOptionConfig};

/// Centipawns, or moves to a proven end: positive when winning.
fn score_text(score: Score) -> String {
    mate_moves(score).map_or_else(|| format!("cp {score}"), |moves| format!("mate {moves}"))
}

/// Moves to a proven end, positive when winning; `None` if the score is an estimate.
pub(super) fn mate_moves(score: Score) -> Option<i32> {
    let plies = mate_plies(score)?;
    Some(if score > 0 {
        (plies + 1) / 2
    } else {
        plies / 2
    })
}

/// The score as reported. Where there are no draws, variantfishtest would take
/// a one-move line with a score of exactly 0 for the end of a drawn game: one
/// centipawn tells them apart.
fn reported_score(info: &Info) -> Score {
    let reads_as_draw = info.score == 0 && info.line.len() == 1 && info.chances.draw == 0;
    if reads_as_draw { 1 } else { info.score }
}

fn chances_text(chances: Chances) -> String {
    format!(" wdl {} {} {}", chances.win, chances.draw, chances.loss)
}

/// An `info` line.
pub(super) fn info(info: &Info, show_chances: bool) -> String {
    // Every match runner knows this form for finished games.
    if info.depth == 0 {
        return format!("info depth 0 score {}", score_text(info.score));
    }
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}",
        info.depth,
        info.selective_depth,
        info.rank,
        score_text(reported_score(info))
    );
    text.push_str(match info.bound {
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
        _ => "",
    });
    if show_chances {
        text.push_str(&chances_text(info.chances));
    }
    let _ = write!(
        text,
        " nodes {} nps {} hashfull {} time {} pv {}",
        info.nodes,
        nodes_per_second(info.nodes, info.time),
        info.hashfull,
        info.time.as_millis(),
        info.line.join(" ")
    );
    text
}

/// The lines that report an event.
pub(super) fn event(event: &Event, show_chances: bool) -> Vec<String> {
    match event {
        Event::Info(line) => vec![info(line, show_chances)],
        Event::Current { depth, mv, number } => {
            vec![format!(
                "info depth {depth} currmove {mv} currmovenumber {number}"
            )]
        }
        Event::Best { best, ponder } => {
            let best = best.as_deref().unwrap_or("(none)");
            let ponder = ponder
                .as_ref()
                .map_or(String::new(), |mv| format!(" ponder {mv}"));
            vec![format!("bestmove {best}{ponder}")]
        }
        Event::Perft {
            split,
            total,
            is_stopped,
        } => perft(split, *total, *is_stopped),
        Event::Bench(result) if result.is_stopped => {
            vec!["info string bench stopped".to_owned()]
        }
        Event::Bench(result) => vec![format!(
            "{} nodes {} nps",
            result.nodes,
            result.nodes_per_second()
        )],
        Event::Progress(now) => vec![progress(now)],
        Event::Proof(result) => proof(result),
        Event::Message(text) => vec![format!("info string {text}")],
    }
}

/// How far a proof has got. Its numbers come last: a program that does not know
/// them stops reading there.
fn progress(now: &Progress) -> String {
    let number = |number: u32| match number {
        u32::MAX => "inf".to_owned(),
        _ => number.to_string(),
    };
    format!(
        "info nodes {} nps {} hashfull {} time {} proof {} disproof {}",
        now.nodes,
        nodes_per_second(now.nodes, now.time),
        now.hashfull,
        now.time.as_millis(),
        number(now.proof),
        number(now.disproof)
    )
}

/// Reports no score: the line need not be the shortest win.
fn proof(result: &ProofResult) -> Vec<String> {
    let (nodes, time) = (result.nodes, result.time);
    let winner = result
        .winner
        .map_or("unknown".to_owned(), |side| format!("{side} wins"));
    let mut line = format!(
        "info depth {} nodes {nodes} nps {} time {}",
        result.line.len(),
        nodes_per_second(nodes, time),
        time.as_millis()
    );
    if !result.line.is_empty() {
        let _ = write!(line, " pv {}", result.line.join(" "));
    }
    let best = result.line.first().map_or("(none)", String::as_str);
    vec![
        line,
        format!("info string proof {winner}"),
        format!("bestmove {best}"),
    ]
}

fn perft(split: &[(String, u64)], total: u64, is_stopped: bool) -> Vec<String> {
    if is_stopped {
        return vec!["info string perft stopped".to_owned()];
    }
    let mut lines: Vec<String> = split
        .iter()
        .map(|(mv, count)| format!("{mv}: {count}"))
        .collect();
    lines.push(String::new());
    lines.push(format!("Nodes searched: {total}"));
    lines
}

/// The outcome of a game, in words.
pub(super) const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ongoing => "none",
        Outcome::Win(Side::White) => "white wins",
        Outcome::Win(Side::Black) => "black wins",
        Outcome::Draw => "draw",
    }
}

/// Why a game is over, in words.
pub(super) const fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Arrived => "arrived",
        Ending::Blocked => "blocked",
        Ending::NoPieces => "no pieces",
        Ending::Repetition => "repetition",
    }
}

/// The board and what the rules say about it.
pub(super) fn display(board: &Board) -> Vec<String> {
    let mut lines: Vec<String> = board.diagram().lines().map(str::to_owned).collect();
    lines.push(String::new());
    lines.push(format!("Fen: {}", board.fen()));
    lines.push(format!("Key: {:016x}", board.key()));
    lines.push(format!("Side: {}", board.side_to_move()));
    // Programs read up to the outcome, so the reason comes before it.
    if let Some(reason) = board.ending() {
        lines.push(format!("Reason: {}", ending(reason)));
    }
    lines.push(format!("Outcome: {}", outcome(board.outcome())));
    lines
}

/// The legal moves on one line.
pub(super) fn moves(board: &Board) -> String {
    let mut text = "moves:".to_owned();
    for mv in board.legal_moves() {
        let _ = write!(text, " {mv}");
    }
    text
}

/// The static evaluation term by term.
pub(super) fn evaluation(engine: &Engine) -> Vec<String> {
    let board = engine.board();
    let Some(evaluation) = engine.evaluate() else {
        return vec![format!("info string {}", no_evaluation(board))];
    };
    let Evaluation {
        score,
        chances,
        terms,
        ..
    } = evaluation;
    let mut lines = vec![format!(
        "{:<32} {:>6} {:>6} {:>7}",
        "term", "white", "black", "cp"
    )];
    lines.extend(terms.iter().map(
        |Term {
             name,
             white,
             black,
             value,
         }| format!("{name:<32} {white:>6} {black:>6} {value:>7}"),
    ));
    lines.push(format!(
        "Evaluation: {score} cp for {}, {:.1}% to win",
        board.side_to_move(),
        f64::from(chances.win) / 10.0
    ));
    lines
}

/// Why there is no evaluation.
pub(super) fn no_evaluation(board: &Board) -> String {
    let outcome = outcome(board.outcome());
    format!("no evaluation: the game is over, {outcome}")
}

/// The line that uci2wb turns into XBoard's setup.
pub(super) fn variant(variant: Variant, start: &Board) -> String {
    let (files, ranks) = start.size();
    let name = variant.name();
    format!(
        "info string variant {name} files {files} ranks {ranks} pocket 0 template fairy startpos {}",
        start.fen()
    )
}

/// The `option` line.
pub(super) fn option(option: OptionSpec) -> String {
    let name = option.name.to_owned();
    let config = match option.kind {
        OptionKind::Check { default } => UciOptionConfig::Check {
            name,
            default: Some(default),
        },
        OptionKind::Spin { default, min, max } => UciOptionConfig::Spin {
            name,
            default: Some(default),
            min: Some(min),
            max: Some(max),
        },
        OptionKind::Combo { default, values } => UciOptionConfig::Combo {
            name,
            default: Some(default.to_owned()),
            var: values.into_iter().map(str::to_owned).collect(),
        },
        OptionKind::Text { default } => UciOptionConfig::String {
            name,
            default: Some(default.to_owned()),
        },
        OptionKind::Button => UciOptionConfig::Button { name },
    };
    UciMessage::Option(config).to_string()
}

/// The option as `help` lists it.
pub(super) fn option_help(option: &OptionSpec) -> String {
    let values = match &option.kind {
        OptionKind::Check { .. } => "true, false".to_owned(),
        OptionKind::Spin { min, max, .. } => format!("{min} to {max}"),
        OptionKind::Combo { values, .. } => values.join(", "),
        OptionKind::Text { .. } | OptionKind::Button => String::new(),
    };
    let head = format!("{:<17} {values}", option.name);
    format!("{head:<36} {}", option.help)
}

/// What `help` shows before the options.
pub(super) const HELP: &str = "\
petard speaks a UCI-like protocol; protocol.md specifies it.
uci, debug on|off, isready, register, ucinewgame, quit   as in UCI
setoption name NAME value VALUE   set an option; uci lists them
position startpos|fen FEN [moves ...]  set the position, on any board; moves: a2b3
play MOVE ..., undo [N], redo [N]   play on from there, take moves back, play them again
setoption name UCI_Variant value freeling  play Christian Freeling's game; there, pass is a move
go [movetime MS] [depth N] [nodes N] [wtime MS btime MS winc MS binc MS movestogo N]
   [mate N] [infinite] [ponder] [searchmoves ...] [perft N]   search; the first limit reached ends it
go prove [movetime MS] [nodes N]   prove who wins
go pass ...                         search what the other side threatens
stop, ponderhit                     end the search; the expected move was played
d, moves, eval                      the board, its legal moves, its static evaluation
line MOVE ..., d json, eval json    what moves would do; d and eval as JSON
perft N, bench [VARIANT] [N], flip, help   count leaves, measure speed, swap sides, this help
Options and their values:";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{loss_in, win_in};
    use std::time::Duration;

    fn report(score: Score, line: &[&str], draw: u32) -> String {
        let chances = Chances {
            win: 500,
            draw,
            loss: 500 - draw,
        };
        let line = line.iter().map(|&mv| mv.to_owned()).collect();
        info(
            &Info {
                depth: 3,
                selective_depth: 4,
                rank: 1,
                score,
                bound: Bound::Lower,
                chances,
                nodes: 2000,
                hashfull: 5,
                time: Duration::from_millis(500),
                line,
            },
            true,
        )
    }

    #[test]
    fn an_info_line_has_its_fields_in_order() {
        assert_eq!(
            report(-12, &["a2a3", "b7b6"], 0),
            "info depth 3 seldepth 4 multipv 1 score cp -12 lowerbound wdl 500 0 500 \
             nodes 2000 nps 4000 hashfull 5 time 500 pv a2a3 b7b6"
        );
    }

    #[test]
    fn proven_results_are_in_moves() {
        for (score, text) in [
            (win_in(1), "mate 1"),
            (win_in(3), "mate 2"),
            (loss_in(2), "mate -1"),
            (loss_in(4), "mate -2"),
            (loss_in(0), "mate 0"),
        ] {
            assert_eq!(score_text(score), text);
        }
    }

    #[test]
    fn a_single_move_with_score_zero_is_no_draw_where_there_are_none() {
        assert!(report(0, &["a2a3"], 0).contains("score cp 1 "));
        assert!(report(0, &["a2a3"], 300).contains("score cp 0 "));
        assert!(report(0, &["a2a3", "b7b6"], 0).contains("score cp 0 "));
    }

    #[test]
    fn a_proof_is_reported_with_its_line() {
        let mut result = ProofResult {
            winner: Some(Side::Black),
            line: vec!["a2a3".to_owned(), "b7b6".to_owned()],
            nodes: 2000,
            time: Duration::from_millis(500),
        };
        let lines = [
            "info depth 2 nodes 2000 nps 4000 time 500 pv a2a3 b7b6",
            "info string proof black wins",
            "bestmove a2a3",
        ];
        assert_eq!(proof(&result), lines);
        (result.winner, result.line) = (None, Vec::new());
        let lines = [
            "info depth 0 nodes 2000 nps 4000 time 500",
            "info string proof unknown",
            "bestmove (none)",
        ];
        assert_eq!(proof(&result), lines);
    }
}
