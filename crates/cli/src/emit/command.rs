//! Commands that are written down, to make the same again.

use manylane_files::quote::quote;
use std::path::Path;

/// A folder as a command that is written down names it: behind `-o ` no name may begin with a dash.
pub fn recorded(folder: &Path) -> String {
    let is_like_option = folder.as_os_str().as_encoded_bytes().starts_with(b"-");
    let named = if is_like_option { Path::new(".").join(folder) } else { folder.to_owned() };
    quote(named.as_os_str().as_encoded_bytes())
}
