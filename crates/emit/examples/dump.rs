use manylane_graph::{trace, Op};
use manylane_plan::hardware::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let g = manylane_graph::passes::uniform(&trace::compression(a[1].parse().unwrap()));
    let o = Options { merge: a[2].parse().unwrap(), stages: a[3].parse().unwrap(), adders: a[4].parse().unwrap(), precompute: a[5].parse().unwrap() };
    let p = plan(&g, &o, &DelayModel::load("gate").unwrap()).unwrap();
    println!("{p}");
    for b in p.blocks.iter().chain(&p.schedule) {
        for n in b.function.nodes() {
            let pl = &b.schedule.nodes[n.index()];
            println!("{n} {:?} {:?} clock {} {:.2}-{:.2} {}", b.function.op(n), b.function.args(n), pl.clock, pl.start, pl.end, matches!(b.function.op(n), Op::Input(_)).then(|| b.function.inputs().iter().find(|i| i.node==n).unwrap().name.clone()).unwrap_or_default());
        }
        println!("outputs {:?}", b.function.outputs().iter().map(|o| o.value).collect::<Vec<_>>());
        println!("period {}", b.schedule.period);
    }
}
