//! Cases a person can check.
