use manylane_graph::framing::stream;
use manylane_graph::trace::literal_compression;
use manylane_plan::Platform;
use manylane_plan::program::shape::Shape;
use manylane_plan::program::time::{Prices, time};
fn main() {
    let mut a = std::env::args().skip(1);
    let file = a.next().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let regs: Vec<usize> = a.map(|x| x.parse().unwrap()).collect();
    let names = [
        "md5",
        "sha1",
        "sha256",
        "sha512",
        "ripemd160",
        "ripemd320",
        "sha3-256",
        "jh256",
        "skein256",
        "skein512",
        "skein1024",
        "blake256",
        "blake512",
        "groestl256",
    ];
    let full = Platform::parse(&file, &text).unwrap();
    for name in names {
        let Some(measured) = full.programs.get(name) else { continue };
        let algorithm = name.parse().unwrap();
        let one = Shape::default().one(&literal_compression(algorithm));
        let order = stream(algorithm).unwrap().framing.order;
        print!("{name:12} {:8.0}", measured.block);
        for &r in &regs {
            let mut p = full.clone();
            p.programs.clear();
            p.shares.clear();
            for c in &mut p.cores {
                c.memory.registers = if r == 0 { None } else { Some(r) };
            }
            let prices = Prices::of(&one.rolled, 1, order, &p).unwrap();
            let t = time(&one, &prices, 1).unwrap().cycles();
            print!(" {:8.0} {:+6.1}%", t, 100.0 * (t / measured.block - 1.0));
        }
        println!();
    }
}
