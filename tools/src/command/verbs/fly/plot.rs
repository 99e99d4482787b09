//! The picture of a flight: three panels above one axis of time.
//!
//! ```text
//! times of ticks, ms, logarithmic   the flight with all in memory in grey behind
//! queue: missing, being read        units held
//! memory, MiB                       and the budget
//! ```

use marchland_terrain::math::{greater, lesser};

use super::log::{Log, Sample};
use crate::command::failure::Failure;
use crate::command::output_file::OutputFile;
use crate::command::plot::{
    BLUE, Bar, GREEN, GRID, INK, LEFT, ORANGE, PURPLE, Panel, Pen, PlotKind, RED, RIGHT,
    axis_title, centred, decade,
};
use crate::command::render::{Rgb, TextSize, nice_length};

const HEIGHT: u32 = 860;
/// Top and height of each panel.
const PANELS: [(i64, i64); 3] = [(74, 330), (462, 150), (670, 130)];

const TICK: Rgb = BLUE;
const UPDATE: Rgb = ORANGE;
const CONTROL: Rgb = [168, 172, 178];
const MISSING: Rgb = RED;
const READING: Rgb = GREEN;
const HELD: Rgb = PURPLE;

/// Draws a flight into a file, with the flight over the resident world behind it if there was one.
///
/// # Errors
/// If the file cannot be written.
pub fn draw(
    out: OutputFile,
    kind: PlotKind,
    title: &str,
    flight: &Log,
    control: Option<&Log>,
) -> Result<(), Failure> {
    let mut pen = kind.begin(HEIGHT);
    let pen = pen.as_mut();
    pen.text(LEFT, 10, title, TextSize::Large, INK);
    draw_times(pen, flight, control);
    draw_queue(pen, flight);
    draw_memory(pen, flight);
    draw_seconds(pen, flight);
    pen.write(out)
}

fn draw_times(pen: &mut dyn Pen, flight: &Log, control: Option<&Log>) {
    let logs = [Some(flight), control];
    let ticks = logs.iter().flatten().flat_map(|log| &log.samples).map(Sample::tick_us);
    let highest = ticks.fold(100.0, |a: f32, b| greater(b, a));
    let updates = flight.samples.iter().map(|sample| sample.update.wall);
    let lowest = updates.fold(highest, |a, b| if b > 0.1 && b < a { b } else { a });
    let decade = |value: f32| decade(f64::from(value));
    let range = [lowest, highest].map(f64::from);
    let text = |micros: f64| format!("{} ms", micros / 1000.0);
    let panel = Panel::draw_decades(pen, PANELS[0], range, text);
    let mut keys = vec![(TICK, "tick"), (UPDATE, "streaming part")];
    if let Some(control) = control {
        keys.push((CONTROL, "tick with the whole world in memory"));
        ranges(pen, &panel, control, CONTROL, |s| decade(s.tick_us()));
    }
    ranges(pen, &panel, flight, TICK, |s| decade(s.tick_us()));
    if flight.stats.is_some() {
        ranges(pen, &panel, flight, UPDATE, |s| decade(s.update.wall));
    }
    panel.keys(pen, "Tick time", &keys);
}

fn draw_queue(pen: &mut dyn Pen, flight: &Log) {
    let missing = |s: &Sample| f64::from(s.missing);
    let held = |s: &Sample| f64::from(s.held);
    let panel = Panel::linear(PANELS[1], greatest(flight, missing, 4.0));
    panel.frame(pen);
    panel.lines(pen, "");
    area(pen, &panel, flight, MISSING, missing);
    area(pen, &panel, flight, READING, |s| f64::from(s.in_flight));
    let mut keys = vec![(MISSING, "sectors wanted but missing"), (READING, "those being read")];
    let held_most = greatest(flight, held, 0.0);
    let label = format!("units held, at most {held_most}");
    if held_most > 0.0 {
        keys.push((HELD, &label));
        let scale = panel.high / held_most;
        ranges(pen, &panel, flight, HELD, |s| held(s) * scale);
    }
    panel.keys(pen, "Queue", &keys);
}

fn draw_memory(pen: &mut dyn Pen, flight: &Log) {
    const MIB: f64 = (1 << 20) as f64;
    let memory = |s: &Sample| s.resident_bytes as f64 / MIB;
    let budget = flight.sums.budget_bytes as f64 / MIB;
    let most = greatest(flight, memory, 1.0);
    // A budget far above would press the curve against the axis.
    let is_near = budget < most * 4.0;
    let panel =
        Panel::linear(PANELS[2], if is_near && budget > most { budget } else { most } * 1.05);
    panel.frame(pen);
    panel.lines(pen, " MiB");
    area(pen, &panel, flight, TICK, memory);
    if is_near {
        pen.fill(LEFT, panel.y(budget), (RIGHT - LEFT) as u32, 2, MISSING, 1.0);
    }
    let label = format!("budget, {budget:.0} MiB");
    panel.keys(pen, "Memory", &[(TICK, "sectors in memory"), (MISSING, &label)]);
}

/// The axis of time, below the last panel, and its lines through all of them.
fn draw_seconds(pen: &mut dyn Pen, flight: &Log) {
    let seconds = flight.samples.len() as f64 * flight.dt;
    let spacing = nice_length(seconds / 5.0);
    let (last_top, last_height) = PANELS[2];
    let mut at = 0.0;
    while seconds > 0.0 && at <= seconds * 1.000_001 {
        let x = LEFT + ((RIGHT - LEFT - 1) as f64 * at / seconds) as i64;
        for (top, height) in PANELS {
            pen.fill(x, top, 1, height as u32, GRID, 0.6);
        }
        let text = format!("{} s", (at * 1e3).round() / 1e3);
        centred(pen, x, last_top + last_height + 8, &text, INK);
        at += spacing;
    }
    axis_title(pen, PANELS[2], "seconds of flight");
}

/// The greatest value observed in a flight, at least `least`.
fn greatest(flight: &Log, of: impl Fn(&Sample) -> f64, least: f64) -> f64 {
    flight.samples.iter().map(of).fold(least, |a, b| greater(b, a))
}

/// For each column of pixels a bar from the least to the greatest of its ticks.
fn ranges(pen: &mut dyn Pen, panel: &Panel, log: &Log, colour: Rgb, of: impl Fn(&Sample) -> f64) {
    let bars: Vec<Bar> = columns(log, of)
        .map(|(x, low, high)| Bar { x, top: panel.y(high), bottom: panel.y(low) })
        .collect();
    pen.bars(&bars, colour, 1.0);
}

/// For each column of pixels a bar from zero to the greatest of its ticks.
fn area(pen: &mut dyn Pen, panel: &Panel, log: &Log, colour: Rgb, of: impl Fn(&Sample) -> f64) {
    let bars: Vec<Bar> = columns(log, of)
        .filter(|(_, _, high)| *high > 0.0)
        .map(|(x, _, high)| Bar { x, top: panel.y(high), bottom: panel.y(0.0) })
        .collect();
    pen.bars(&bars, colour, 0.8);
}

/// The columns of pixels of a panel, with the least and the greatest value of the ticks in each; with
/// fewer ticks than columns, a tick takes several columns.
fn columns(log: &Log, of: impl Fn(&Sample) -> f64) -> impl Iterator<Item = (i64, f64, f64)> {
    let (count, wide) = (log.samples.len(), (RIGHT - LEFT) as usize);
    (0..wide).filter(move |_| count > 0).map(move |column| {
        let first = column * count / wide;
        let end = ((column + 1) * count / wide).max(first + 1);
        let values = log.samples[first..end].iter().map(&of);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            low = lesser(value, low);
            high = greater(value, high);
        }
        (LEFT + column as i64, low, high)
    })
}
