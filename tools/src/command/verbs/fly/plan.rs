//! What is flown.

use marchland_controller::TickMode;

/// The settings of a flight.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Metres per second.
    pub speed: f64,
    /// Metres around a source in which sectors are wanted.
    pub radius: f64,
    /// Most bytes of sectors in memory.
    pub budget_bytes: u64,
    /// Sectors that are read at the same time.
    pub loads: usize,
    /// Ticks.
    pub ticks: u32,
    /// Ticks a second.
    pub rate: f64,
    /// Sources.
    pub sources: u16,
    /// Units in total.
    pub units: u32,
    /// What happens where ground is missing.
    pub mode: TickMode,
    /// Whether sources go back and forth over a border.
    pub shuttle: bool,
    /// Whether units are sources too.
    pub crowds: bool,
    /// Whether units meet props; otherwise they pass through them.
    pub props: bool,
    /// Threads that move units.
    pub threads: u16,
    /// Whether the flight runs in real time.
    pub real_time: bool,
}
