//! Compiles the shim over libipsec-mb.

fn main() {
    println!("cargo::rerun-if-changed=src/ipsec_mb.c");
    let built = cc::Build::new().file("src/ipsec_mb.c").try_compile("ipsec_mb_shim");
    if let Err(error) = built {
        println!(
            "cargo::error=libipsec-mb cannot be built against: install it (`make bench-peers` \
             does, or apt-get install libipsec-mb-dev; x86-64 only). {error}"
        );
    }
    println!("cargo::rustc-link-lib=IPSec_MB");
}
