//! The build systems for which a folder has files.

use super::templates::Templates;
use minijinja::Value;

/// A build system, or the form of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packaging {
    /// CMake.
    Cmake,
    /// Raspberry Pi's pico-sdk.
    PicoSdk,
    /// Zephyr.
    Zephyr,
    /// Espressif's ESP-IDF.
    EspIdf,
    /// PlatformIO.
    Platformio,
    /// One header that has everything.
    Amalgamated,
}

manylane_graph::names! { Packaging:
    /// Its name on the command line.
    Cmake "cmake", PicoSdk "pico-sdk", Zephyr "zephyr", EspIdf "esp-idf", Platformio "platformio",
    Amalgamated "amalgamated",
}

impl Packaging {
    /// Its files, which are templates of the same names. The amalgamated file is made of the
    /// others' texts.
    fn files(self) -> &'static [&'static str] {
        match self {
            Self::Cmake | Self::PicoSdk => &["CMakeLists.txt"],
            Self::Zephyr => &["zephyr/module.yml", "zephyr/Kconfig", "zephyr/CMakeLists.txt"],
            Self::EspIdf => &["CMakeLists.txt", "idf_component.yml"],
            Self::Platformio => &["library.json"],
            Self::Amalgamated => &[],
        }
    }
}

/// The files of build systems.
pub(super) fn files(
    templates: &Templates,
    packaging: &[Packaging],
    values: &Value,
) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for name in packaging.iter().flat_map(|packaging| packaging.files()) {
        if files.iter().all(|(file, _)| file != name) {
            files.push(((*name).to_owned(), templates.render(name, values)));
        }
    }
    files
}
