use manylane_engine::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let names: Vec<String> = if args.len() > 1 && args[1] != "all" {
        args[1].split(',').map(String::from).collect()
    } else {
        "md5 sha1 sha256 sha512 ripemd160 ripemd320 sha3-256 blake256 blake512 groestl256 groestl512 jh256 skein256 skein512 skein1024".split(' ').map(String::from).collect()
    };
    let filter = args.get(2).cloned();
    println!(
        "{:12} {:12} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "", "engine", "1x16K", "64", "1K", "16K", "mix"
    );
    for n in names {
        let a: Algorithm = n.parse().unwrap();
        let mut es: Vec<Option<Engine>> = engines(a).unwrap().into_iter().map(Some).collect();
        es.push(None);
        for e in es {
            if let (Some(f), Some(e)) = (&filter, e) {
                if f != e.name() {
                    continue;
                }
            }
            let mut row = vec![];
            {
                let buf = vec![7u8; 16384];
                let mut h = Hasher::on(a, e).unwrap();
                let mut best: f64 = 0.;
                for _ in 0..5 {
                    let t = Instant::now();
                    let mut k = 0;
                    while t.elapsed().as_millis() < 8 {
                        h.reset();
                        h.update(&buf);
                        std::hint::black_box(h.finalize());
                        k += 1;
                    }
                    best = best.max(k as f64 * 16384. / t.elapsed().as_secs_f64() / 1e6);
                }
                row.push(best);
            }
            for len in [64, 1024, 16384, 0] {
                let mut x = 12345u64;
                let ms: Vec<Vec<u8>> = (0..1000)
                    .map(|_| {
                        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        let l = if len == 0 {
                            2f64.powf(4. + 10. * ((x >> 33) as f64 / 2f64.powi(31))) as usize
                        } else {
                            len
                        };
                        vec![7u8; l]
                    })
                    .collect();
                let bytes: usize = ms.iter().map(|m| m.len()).sum();
                let mut out = vec![0; 1000 * a.digest_bytes()];
                let mut b = Batch::new(a);
                if let Some(e) = e {
                    b = b.engine(e);
                }
                let mut best: f64 = 0.;
                for _ in 0..5 {
                    let t = Instant::now();
                    let mut k = 0;
                    while t.elapsed().as_millis() < 10 {
                        b.run(&ms, &mut out).unwrap();
                        k += 1;
                    }
                    best = best.max(k as f64 * bytes as f64 / t.elapsed().as_secs_f64() / 1e6);
                }
                row.push(best);
            }
            println!(
                "{:12} {:12} {}",
                n,
                e.map_or("auto", |e| e.name()),
                row.iter().map(|r| format!("{r:8.0}")).collect::<Vec<_>>().join(" ")
            );
        }
    }
}
