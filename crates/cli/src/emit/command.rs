//! Command lines that emitted folders record, so that the same folder can be made again.

use manylane_files::quote::quote;
use std::path::Path;

/// The folder's name in a recorded command, quoted. A name that begins with a dash gets `./` before
/// it: behind `-o ` it would be taken for an option.
pub fn recorded(folder: &Path) -> String {
    let is_like_option = folder.as_os_str().as_encoded_bytes().starts_with(b"-");
    let named = if is_like_option { Path::new(".").join(folder) } else { folder.to_owned() };
    quote(named.as_os_str().as_encoded_bytes())
}
