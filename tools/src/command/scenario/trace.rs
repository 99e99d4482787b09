//! The trace of a run: a CSV row for every unit and tick.

use std::io::{self, Write};

use super::expect::UnitState;

/// Writes the names of the columns.
///
/// # Errors
/// If they cannot be written.
pub fn trace_header(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"tick,name,x,y,z,vx,vy,vz,mode\n")
}

/// Writes the row of a unit after `tick` ticks, 0 for the start. Numbers are the shortest decimals that
/// identify their bits.
///
/// # Errors
/// If it cannot be written.
pub fn trace_row(out: &mut impl Write, tick: u32, name: &str, state: &UnitState) -> io::Result<()> {
    let name = quoted(name);
    let ([x, y, z], [vx, vy, vz]) = (state.position, state.velocity);
    let mode = state.mode.word();
    writeln!(out, "{tick},{name},{x},{y},{z},{vx},{vy},{vz},{mode}")
}

/// A name as a CSV field (RFC 4180): in quotes if it would otherwise be split.
fn quoted(name: &str) -> String {
    if name.contains([',', '"']) || name.starts_with(' ') || name.ends_with(' ') {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
