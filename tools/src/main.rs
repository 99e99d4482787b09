//! The `marchland` command.
fn main() {}
