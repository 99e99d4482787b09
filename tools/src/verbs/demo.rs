//! `marchland demo`.

use crate::cli::DemoArgs;
use crate::failure::Failure;

/// Runs the demo.
///
/// # Errors
/// None yet.
pub fn run(_args: &DemoArgs) -> Result<(), Failure> {
    Ok(())
}
