//! t

use petard::game::troyka::*;
use petard::solve::{dfpn::*, keys::*, table::*};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (w, h) = parse_board_size(&a[1]).unwrap();
    let g = |i: usize, d: i32| a.get(i).map_or(d, |s| s.parse().unwrap());
    let mb = g(2, 1024);
    let knobs = Knobs { look: g(3, 1) as u32, eps: g(4, 128) as u64, man: g(5, 11), clamp: g(6, 66), mob: g(7, 0) as u32 };
    if w <= 8 && h <= 8 { run::<u64>(w, h, mb, knobs) } else { run::<u128>(w, h, mb, knobs) }
}
fn run<B: Bits>(w: usize, h: usize, mb: i32, knobs: Knobs) {
    let p = Position::<B>::start(w, h).unwrap();
    let field = Field::new(p.geometry());
    let bits = ((w * h) as f64 * 3f64.log2()).ceil() as u32;
    let sh = Shared { field, map: KeyMap::new(&field), table: Table::new((mb as usize) << 20, bits), stop: false.into(), nodes: 0.into(), knobs };
    let t = std::time::Instant::now();
    let mut wk = Worker::new(&sh);
    let n = sh.node(p.duel());
    let (r, _) = wk.search(&n, u64::from(u32::MAX), u64::from(u32::MAX));
    wk.flush();
    println!("{w}x{h} {:?} {} nodes {} judged {} visits {:.3}s", r, sh.nodes.load(std::sync::atomic::Ordering::Relaxed), wk.judged, wk.visits, t.elapsed().as_secs_f64());
}
