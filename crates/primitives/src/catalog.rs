//! Catalogue
