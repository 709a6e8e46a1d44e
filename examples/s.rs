//! t
use petard::game::troyka::*;
use petard::solve::{dfpn::*, keys::*};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (w, h) = parse_board_size(&a[1]).unwrap();
    let g = |i: usize, d: i32| a.get(i).map_or(d, |s| s.parse().unwrap());
    let (mb, t) = (g(2, 1024), g(3, 1));
    if w <= 8 && h <= 8 { 
       if w*h <= 40 { run::<u64, u64>(w, h, mb, t) } else { run::<u64, u128>(w, h, mb, t) } 
    } else if w*h <= 40 { run::<u128, u64>(w, h, mb, t) } else { run::<u128, u128>(w, h, mb, t) }
}
fn run<B: Bits, K: Key>(w: usize, h: usize, mb: i32, threads: i32) {
    let p = Position::<B>::start(w, h).unwrap();
    let field = Field::new(p.geometry());
    let sh = Shared::<B, K>::new(field, (mb as usize) << 20);
    let t = std::time::Instant::now();
    let n = sh.node(p.duel());
    let r = std::thread::scope(|s| {
        let hs: Vec<_> = (0..threads).map(|_| s.spawn(|| { let r = Worker::new(&sh, threads > 1).run(&n);
            sh.stop.store(true, std::sync::atomic::Ordering::Relaxed); r })).collect();
        hs.into_iter().map(|h| h.join().unwrap()).collect::<Vec<_>>()
    });
    println!("{w}x{h} {:?} {} nodes {:.3}s", r, sh.nodes.load(std::sync::atomic::Ordering::Relaxed), t.elapsed().as_secs_f64());
}
