use manylane_engine::pairing::*;
use std::num::NonZeroUsize;
use std::sync::atomic::Ordering::Relaxed;
fn main() {
    let [p, q] = [[1; 153], [2; 153]].map(|digest| Point::from_digest(digest).unwrap());
    for threads in [1, 2] {
        let by: &[bool] = &[false, true];
        for &f in by {
            let mut pairing = Pairing::new().unwrap().threads(NonZeroUsize::new(threads).unwrap());
            if f {
                pairing = pairing.by_factors();
            }
            for _ in 0..2000 {
                std::hint::black_box(pairing.pair(p, q));
            }
            let mut all: Vec<[u64; 10]> = vec![];
            for _ in 0..3000 {
                std::hint::black_box(pairing.pair(p, q));
                let mut t = [0; 10];
                for i in 0..10 {
                    t[i] = STAMPS[i].load(Relaxed).wrapping_sub(STAMPS[0].load(Relaxed));
                }
                all.push(t);
            }
            print!("threads {threads} factors {f}:");
            for i in 0..10 {
                let mut v: Vec<u64> = all.iter().map(|t| t[i]).collect();
                v.sort();
                print!(" {i}:{}", v[v.len() / 2] as i64);
            }
            println!();
        }
    }
}
