//! The trace of a run: a CSV row for every unit and tick.

use std::io::{self, Write};

use super::expect::UnitState;

/// Writes rows during a run. The first rows are those of tick 0, the start.
#[derive(Debug)]
pub struct Trace<W: Write> {
    out: W,
}

impl<W: Write> Trace<W> {
    /// Writes the names of the columns.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"tick,name,x,y,z,vx,vy,vz,mode\n")?;
        Ok(Self { out })
    }

    /// Writes the row of a unit after `tick` ticks. Numbers are the shortest decimals that identify
    /// their bits.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn row(&mut self, tick: u32, name: &str, state: &UnitState) -> io::Result<()> {
        let name = quoted(name);
        let ([x, y, z], [vx, vy, vz]) = (state.position, state.velocity);
        let mode = state.mode.word();
        writeln!(self.out, "{tick},{name},{x},{y},{z},{vx},{vy},{vz},{mode}")
    }

    /// Writes buffered data, and returns the writer.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A name as a CSV field (RFC 4180): in quotes if it would otherwise be split.
fn quoted(name: &str) -> String {
    if name.contains([',', '"']) || name.starts_with(' ') || name.ends_with(' ') {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
