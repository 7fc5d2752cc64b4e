use manylane_graph::{trace, extract, StepId};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let f = trace::compression(a[1].parse().unwrap());
    let g = manylane_graph::passes::uniform(&f);
    for f in [&f, &g] {
        println!("lines {:?}", extract::lines(f).iter().map(|l| (l.name.clone(), l.len())).collect::<Vec<_>>());
        for name in &a[2..] {
            let s = f.find_step(name).unwrap();
            println!("{name} over {:?}", f.steps()[s.index()].over);
            for n in f.nodes() { if f.ancestor(f.step(n), 1) == s { println!("  {n} {:?} {:?}", f.op(n), f.args(n)); } }
            let _ = StepId::ROOT;
        }
    }
}
