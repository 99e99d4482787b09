//! The picture of a bench: two panels above one axis of unit counts, all logarithmic.
//!
//! ```text
//! time of a tick, ms     a line for each number of threads, a bar up to p99, the available time
//! per unit and tick, ns
//! ```

use marchland_terrain::math::{greater, lesser};

use super::measure::Figures;
use crate::command::failure::Failure;
use crate::command::output::count;
use crate::command::output_file::OutputFile;
use crate::command::plot::{
    BLUE, Bar, GREEN, GRID, INK, LEFT, ORANGE, PURPLE, Panel, Pen, PlotKind, RED, RIGHT,
    axis_title, centred, decade,
};
use crate::command::render::{Rgb, TextSize};

const HEIGHT: u32 = 860;
/// Top and height of each panel.
const PANELS: [(i64, i64); 2] = [(74, 400), (536, 260)];
/// Pixels between the frame and the first and the last count.
const INDENT: i64 = 40;
/// The colours repeat for further numbers of threads.
const COLOURS: [Rgb; 4] = [BLUE, ORANGE, GREEN, PURPLE];

/// Draws the times of crowds into a file: `runs` by number of threads, each by count. `rate` is
/// ticks per second.
///
/// # Errors
/// If the file cannot be written.
pub fn draw(
    out: OutputFile,
    kind: PlotKind,
    title: &str,
    rate: f64,
    runs: &[Figures],
) -> Result<(), Failure> {
    let mut pen = kind.begin(HEIGHT);
    let pen = pen.as_mut();
    pen.text(LEFT, 10, title, TextSize::Large, INK);
    let axis = Axis::of(runs);
    draw_counts(pen, &axis, runs);
    draw_ticks(pen, &axis, rate, runs);
    draw_each(pen, &axis, runs);
    pen.write(out)
}

fn draw_ticks(pen: &mut dyn Pen, axis: &Axis, rate: f64, runs: &[Figures]) {
    let room_ms = 1e3 / rate;
    let ms = |run: &Figures| f64::from(run.tick_us.p50) / 1e3;
    let most_ms = |run: &Figures| f64::from(run.tick_us.p99) / 1e3;
    let lowest = least(runs.iter().map(ms), room_ms);
    let highest = greatest(runs.iter().map(most_ms), room_ms);
    let panel = Panel::draw_decades(pen, PANELS[0], [lowest, highest], |ms| format!("{ms} ms"));
    let y = panel.y(decade(room_ms));
    pen.fill(LEFT, y, (RIGHT - LEFT) as u32, 2, RED, 1.0);
    let threads = |line: &[Figures]| count(u64::from(line[0].threads), "thread");
    let mut keys: Vec<(Rgb, String)> =
        lines(runs).map(|(colour, line)| (colour, threads(line))).collect();
    keys.push((RED, format!("{room_ms:.1} ms, the time available at {rate} Hz")));
    for (colour, line) in lines(runs) {
        for run in line {
            let [low, high] = [ms(run), most_ms(run)].map(|ms| panel.y(decade(ms)));
            pen.fill(axis.x(run) - 3, high, 7, (low - high + 1) as u32, colour, 0.3);
        }
        draw_line(pen, axis, &panel, colour, line, ms);
    }
    panel.keys(pen, "Tick time, up to p99", &keys);
}

fn draw_each(pen: &mut dyn Pen, axis: &Axis, runs: &[Figures]) {
    let each = |run: &Figures| run.ns_per_unit_tick;
    let lowest = least(runs.iter().map(each), f64::INFINITY);
    let highest = greatest(runs.iter().map(each), 0.0);
    let panel = Panel::draw_decades(pen, PANELS[1], [lowest, highest], |ns| format!("{ns} ns"));
    for (number, (colour, line)) in lines(runs).enumerate() {
        draw_line(pen, axis, &panel, colour, line, each);
        // For two lines close together: figures above one, below the other.
        let away = if number.is_multiple_of(2) { -24 } else { 8 };
        for run in line {
            let y = panel.y(decade(each(run))) + away;
            centred(pen, axis.x(run), y, &format!("{:.1}", each(run)), colour);
        }
    }
    panel.keys::<&str>(pen, "Per unit and tick, nanoseconds", &[]);
}

/// The counts below the last panel, and a line through all panels at each.
fn draw_counts(pen: &mut dyn Pen, axis: &Axis, runs: &[Figures]) {
    let (last_top, last_height) = PANELS[1];
    let mut end = 0;
    for run in lines(runs).next().into_iter().flat_map(|(_, line)| line) {
        let x = axis.x(run);
        for (top, height) in PANELS {
            pen.fill(x, top, 1, height as u32, GRID, 1.0);
        }
        let text = run.units.to_string();
        let left = x - TextSize::Small.width(&text) / 2;
        // Counts close together would overlap.
        if left > end {
            pen.text(left, last_top + last_height + 8, &text, TextSize::Small, INK);
            end = left + TextSize::Small.width(&text);
        }
    }
    axis_title(pen, PANELS[1], "units");
}

/// A line from count to count with a dot at each.
fn draw_line(
    pen: &mut dyn Pen,
    axis: &Axis,
    panel: &Panel,
    colour: Rgb,
    line: &[Figures],
    of: impl Fn(&Figures) -> f64,
) {
    let dots: Vec<[i64; 2]> =
        line.iter().map(|run| [axis.x(run), panel.y(decade(of(run)))]).collect();
    for pair in dots.windows(2) {
        pen.bars(&between(pair[0], pair[1]), colour, 1.0);
    }
    for [x, y] in dots {
        pen.fill(x - 4, y - 4, 9, 9, colour, 1.0);
    }
}

/// A line two pixels thick, column by column.
fn between([x0, y0]: [i64; 2], [x1, y1]: [i64; 2]) -> Vec<Bar> {
    let y = |x: i64| y0 + (y1 - y0) * (x - x0) / (x1 - x0).max(1);
    let bar = |x: i64| {
        let (here, next) = (y(x), y(x + 1));
        Bar { x, top: here.min(next), bottom: here.max(next) + 1 }
    };
    (x0..x1).map(bar).collect()
}

/// The runs of each number of threads, and their colour.
fn lines(runs: &[Figures]) -> impl Iterator<Item = (Rgb, &[Figures])> {
    runs.chunk_by(|a, b| a.threads == b.threads)
        .enumerate()
        .map(|(number, line)| (COLOURS[number % COLOURS.len()], line))
}

fn least(values: impl Iterator<Item = f64>, most: f64) -> f64 {
    values.fold(most, |a, b| lesser(b, a))
}

fn greatest(values: impl Iterator<Item = f64>, least: f64) -> f64 {
    values.fold(least, |a, b| greater(b, a))
}

/// Where counts lie along X.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(runs: &[Figures]) -> Self {
        let counts = || runs.iter().map(|run| f64::from(run.units));
        let (low, high) = (least(counts(), f64::INFINITY), greatest(counts(), 1.0));
        Self { low: decade(low), high: decade(high) }
    }

    fn x(&self, run: &Figures) -> i64 {
        let (left, right) = (LEFT + INDENT, RIGHT - INDENT);
        // A single count is drawn in the middle.
        let part = if self.high > self.low {
            (decade(f64::from(run.units)) - self.low) / (self.high - self.low)
        } else {
            0.5
        };
        left + ((right - left) as f64 * part) as i64
    }
}
