//! The build systems for which a folder has files.

use super::templates::Templates;
use minijinja::Value;
use std::fmt;

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

impl Packaging {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Cmake,
        Self::PicoSdk,
        Self::Zephyr,
        Self::EspIdf,
        Self::Platformio,
        Self::Amalgamated,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cmake => "cmake",
            Self::PicoSdk => "pico-sdk",
            Self::Zephyr => "zephyr",
            Self::EspIdf => "esp-idf",
            Self::Platformio => "platformio",
            Self::Amalgamated => "amalgamated",
        }
    }

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

impl fmt::Display for Packaging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
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
