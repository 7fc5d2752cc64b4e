//! Names the shared library as programs that are linked with it look for it: before version 1, by
//! its minor version too.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let field = |name: &str| std::env::var(name).unwrap_or_default();
    let version = match field("CARGO_PKG_VERSION_MAJOR").as_str() {
        "0" => format!("0.{}", field("CARGO_PKG_VERSION_MINOR")),
        major => major.to_owned(),
    };
    match field("CARGO_CFG_TARGET_OS").as_str() {
        "linux" | "freebsd" | "netbsd" | "openbsd" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmanylane.so.{version}");
        }
        "macos" => println!(
            "cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libmanylane.{version}.dylib"
        ),
        _ => {}
    }
}
