//! An engine to query, and positions to query it about.

use crate::common::random_position;
use petard::engine::Limits;
use petard::engine::{Board, Engine, Event, Info, Settings, Variant};
use petard::game::Notation;
use rand_mt::Mt64;
use std::sync::mpsc::{Receiver, channel};

/// An engine and its events.
pub struct Player {
    pub engine: Engine,
    pub news: Receiver<Event>,
}

/// What a search reported.
pub struct Report {
    pub infos: Vec<Info>,
    pub best: Option<String>,
}

impl Player {
    pub fn new(threads: usize, multi_pv: usize) -> Self {
        Self::with_settings(Settings {
            hash: 4,
            threads,
            multi_pv,
            ..Settings::default()
        })
    }

    pub fn with_settings(settings: Settings) -> Self {
        let (sender, news) = channel();
        let engine = Engine::with_settings(settings, move |event| {
            let _ = sender.send(event);
        });
        Self {
            engine: engine.unwrap(),
            news,
        }
    }

    pub fn search(&mut self, fen: &str, limits: Limits) -> Report {
        self.search_board(Board::from_fen(Variant::STANDARD, fen).unwrap(), limits)
    }

    pub fn search_board(&mut self, board: Board, limits: Limits) -> Report {
        self.engine.set_board(board);
        self.engine.go(limits, &[]).unwrap();
        let mut infos = Vec::new();
        for event in &self.news {
            match event {
                Event::Info(info) => infos.push(info),
                Event::Best { best, .. } => return Report { infos, best },
                _ => {}
            }
        }
        unreachable!("every search ends with a move");
    }

    pub fn depth(&mut self, fen: &str, depth: u32) -> Report {
        let limits = Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        self.search(fen, limits)
    }
}

/// The text of a random position with few pieces, on boards of both kinds.
pub fn few_pieces(files: usize, ranks: usize, pieces: usize, random: &mut Mt64) -> String {
    random_position::<u128>(files, ranks, pieces, random).fen()
}
