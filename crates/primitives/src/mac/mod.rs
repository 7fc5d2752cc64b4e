//! Message authentication codes.
