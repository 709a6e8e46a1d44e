//! t
use petard::game::troyka::*;
use petard::solve::{dfpn::*, keys::*, *, certificate::*};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (w, h) = parse_board_size(&a[1]).unwrap();
    let g = |i: usize, d: i32| a.get(i).map_or(d, |s| s.parse().unwrap());
    let (mb, t, c) = (g(2, 1024), g(3, 1), g(4, 0));
    if w <= 8 && h <= 8 { 
       if w*h <= 40 { run::<u64, u64>(w, h, mb, t, c) } else { run::<u64, u128>(w, h, mb, t, c) } 
    } else if w*h <= 40 { run::<u128, u64>(w, h, mb, t, c) } else { run::<u128, u128>(w, h, mb, t, c) }
}
fn run<B: Bits, K: Key>(w: usize, h: usize, mb: i32, threads: i32, c: i32) {
    let p = Position::<B>::start(w, h).unwrap();
    let field = Field::new(p.geometry());
    let sh = Shared::<B, K>::new(field, (mb as usize) << 20);
    let t = std::time::Instant::now();
    let n = sh.node(p.duel());
    let r = sh.prove(&n, &Limits { threads: threads as usize, time: None, nodes: None }, &false.into(), &mut |p| if p.time.as_secs() % 20 == 0 { eprintln!("{p:?}") });
    println!("{w}x{h} {:?} {} nodes {:.3}s", r, sh.nodes.load(std::sync::atomic::Ordering::Relaxed), t.elapsed().as_secs_f64());
    if c > 0 {
        let mut col = Collector::new(&sh, c as u8);
        let mut open = vec![n];
        if r == Some(false) { open.clear(); col.loser(&n, &mut open); }
        for n in open { col.winner(&n); }
        println!("depth {c}: {} entries {} nodes {:.3}s", col.entries.len(), sh.nodes.load(std::sync::atomic::Ordering::Relaxed), t.elapsed().as_secs_f64());
    }
}
