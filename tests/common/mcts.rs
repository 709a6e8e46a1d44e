//! A simple opponent: Monte Carlo tree search with random playouts (UCT).

use super::{below, moves};
use petard::game::{Game, Move, Outcome};
use rand_mt::Mt64;

struct Node<G> {
    position: G,
    untried: Vec<Move>,
    children: Vec<(Move, usize)>,
    visits: f64,
    /// Points of the side that moved into the node.
    points: f64,
}

impl<G: Game> Node<G> {
    fn new(position: G) -> Self {
        let untried = moves(&position).to_vec();
        Self {
            position,
            untried,
            children: Vec::new(),
            visits: 0.0,
            points: 0.0,
        }
    }
}

/// The most visited move after this many playouts.
pub fn choose<G: Game>(root: &G, playouts: usize, random: &mut Mt64) -> Move {
    let mut nodes = vec![Node::new(root.clone())];
    for _ in 0..playouts {
        let mut path = vec![0];
        let mut index = 0;
        while nodes[index].untried.is_empty() && !nodes[index].children.is_empty() {
            let all = nodes[index].visits.ln();
            let value = |child: usize| {
                let node: &Node<G> = &nodes[child];
                node.points / node.visits + (2.0 * all / node.visits).sqrt()
            };
            let best = nodes[index]
                .children
                .iter()
                .map(|&(_, child)| child)
                .max_by(|&a, &b| value(a).total_cmp(&value(b)));
            index = best.expect("a child");
            path.push(index);
        }
        if !nodes[index].untried.is_empty() {
            let pick = below(random, nodes[index].untried.len());
            let mv = nodes[index].untried.swap_remove(pick);
            let child = nodes[index].position.play(mv);
            nodes.push(Node::new(child));
            let new = nodes.len() - 1;
            nodes[index].children.push((mv, new));
            path.push(new);
            index = new;
        }
        let winner = playout(nodes[index].position.clone(), random);
        for index in path {
            let node = &mut nodes[index];
            node.visits += 1.0;
            node.points += match winner {
                Some(side) if side == node.position.side_to_move() => 0.0,
                Some(_) => 1.0,
                None => 0.5,
            };
        }
    }
    let most = nodes[0]
        .children
        .iter()
        .max_by(|a, b| nodes[a.1].visits.total_cmp(&nodes[b.1].visits));
    most.expect("a move").0
}

fn playout<G: Game>(mut position: G, random: &mut Mt64) -> Option<petard::game::Side> {
    for _ in 0..200 {
        match position.outcome() {
            Outcome::Win(side) => return Some(side),
            Outcome::Draw => return None,
            Outcome::Ongoing => {}
        }
        let list = moves(&position);
        position = position.play(list[below(random, list.len())]);
    }
    None
}
