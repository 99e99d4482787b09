//! The picture of a flight: three panels above one axis of time.
//!
//! ```text
//! times of ticks, ms, logarithmic   the flight with all in memory in grey behind
//! queue: missing, being read        units held
//! memory, MiB                       and the budget
//! ```

use std::ffi::OsStr;
use std::path::Path;

use super::log::{Log, Sample};
use super::pen::{Bar, Pen, Svg};
use crate::failure::Failure;
use crate::render::{Canvas, Rgb, TextSize, nice_length};

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 860;
/// Where panels begin and end along X, and where each begins along Y and how high it is.
const LEFT: i64 = 92;
const RIGHT: i64 = 1256;
const PANELS: [(i64, i64); 3] = [(74, 330), (462, 150), (670, 130)];

const PAPER: Rgb = [255, 255, 255];
const INK: Rgb = [38, 42, 48];
const FAINT: Rgb = [120, 124, 130];
const GRID: Rgb = [226, 228, 232];
const TICK: Rgb = [40, 102, 178];
const UPDATE: Rgb = [222, 126, 24];
const CONTROL: Rgb = [168, 172, 178];
const MISSING: Rgb = [190, 60, 66];
const READING: Rgb = [30, 138, 112];
const HELD: Rgb = [130, 84, 168];

/// What a plot is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// Scalable.
    Svg,
    /// Pixels.
    Png,
}

impl PlotKind {
    /// By the end of a file's name.
    ///
    /// # Errors
    /// If it is neither `.svg` nor `.png`.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        let end = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        match end.as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Failure::input(format!(
                "{}: a plot is written as .svg or .png",
                path.display()
            ))),
        }
    }
}

/// Draws a flight into a file, with that of the resident world behind it if there was one.
///
/// # Errors
/// If the file cannot be written.
pub fn draw(
    path: &Path,
    kind: PlotKind,
    title: &str,
    flight: &Log,
    control: Option<&Log>,
) -> Result<(), Failure> {
    let mut pen: Box<dyn Pen> = match kind {
        PlotKind::Svg => Box::new(Svg::new(WIDTH, HEIGHT, PAPER)),
        PlotKind::Png => Box::new(Canvas::new(WIDTH, HEIGHT, PAPER)),
    };
    let pen = pen.as_mut();
    pen.text(LEFT, 10, title, TextSize::Large, INK);
    draw_times(pen, flight, control);
    draw_queue(pen, flight);
    draw_memory(pen, flight);
    draw_seconds(pen, flight);
    pen.write(path)
}

fn draw_times(pen: &mut dyn Pen, flight: &Log, control: Option<&Log>) {
    let logs = [Some(flight), control];
    let ticks = logs.iter().flatten().flat_map(|log| &log.samples).map(Sample::tick_us);
    let highest = ticks.fold(100.0, |a: f32, b| if b > a { b } else { a });
    let updates = flight.samples.iter().map(|sample| sample.update.wall);
    let lowest = updates.fold(highest, |a, b| if b > 0.1 && b < a { b } else { a });
    let decade = |value: f32| libm::log10(f64::from(value));
    let panel = Panel { at: PANELS[0], low: decade(lowest).floor(), high: decade(highest).ceil() };
    panel.frame(pen);
    for power in panel.low as i32..=panel.high as i32 {
        let micros = libm::pow(10.0, f64::from(power));
        panel.line(pen, f64::from(power), &format!("{} ms", micros / 1000.0));
    }
    let mut keys = vec![(TICK, "tick"), (UPDATE, "of it, streaming")];
    if let Some(control) = control {
        keys.push((CONTROL, "tick with the whole world in memory"));
        panel.ranges(pen, control, CONTROL, |s| decade(s.tick_us()));
    }
    panel.ranges(pen, flight, TICK, |s| decade(s.tick_us()));
    if flight.stats.is_some() {
        panel.ranges(pen, flight, UPDATE, |s| decade(s.update.wall));
    }
    panel.keys(pen, "Time of ticks", &keys);
}

fn draw_queue(pen: &mut dyn Pen, flight: &Log) {
    let missing = |s: &Sample| f64::from(s.missing);
    let held = |s: &Sample| f64::from(s.held);
    let panel = Panel::linear(PANELS[1], greatest(flight, missing, 4.0));
    panel.frame(pen);
    panel.lines(pen, "");
    panel.area(pen, flight, MISSING, missing);
    panel.area(pen, flight, READING, |s| f64::from(s.in_flight));
    let mut keys =
        vec![(MISSING, "wanted and not there, sectors"), (READING, "of them, being read")];
    let held_most = greatest(flight, held, 0.0);
    let label = format!("units held, at most {held_most}");
    if held_most > 0.0 {
        keys.push((HELD, &label));
        let scale = panel.high / held_most;
        panel.ranges(pen, flight, HELD, |s| held(s) * scale);
    }
    panel.keys(pen, "Queue", &keys);
}

fn draw_memory(pen: &mut dyn Pen, flight: &Log) {
    const MIB: f64 = (1 << 20) as f64;
    let memory = |s: &Sample| s.resident_bytes as f64 / MIB;
    let budget = flight.budget_bytes as f64 / MIB;
    let most = greatest(flight, memory, 1.0);
    // A budget that is far away would press what there is to see against the axis.
    let is_near = budget < most * 4.0;
    let panel =
        Panel::linear(PANELS[2], if is_near && budget > most { budget } else { most } * 1.05);
    panel.frame(pen);
    panel.lines(pen, " MiB");
    panel.area(pen, flight, TICK, memory);
    let label = format!("budget, {budget:.0} MiB");
    let mut keys = vec![(TICK, "sectors in memory")];
    if is_near {
        pen.fill(LEFT, panel.y(budget), (RIGHT - LEFT) as u32, 2, MISSING, 1.0);
    }
    keys.push((MISSING, &label));
    panel.keys(pen, "Memory", &keys);
}

/// The axis of time, below the last panel, and its lines through all of them.
fn draw_seconds(pen: &mut dyn Pen, flight: &Log) {
    let seconds = flight.samples.len() as f64 * flight.dt;
    let step = nice_length(seconds / 5.0);
    let (last_top, last_height) = PANELS[2];
    let mut at = 0.0;
    while seconds > 0.0 && at <= seconds * 1.000_001 {
        let x = LEFT + ((RIGHT - LEFT - 1) as f64 * at / seconds) as i64;
        for (top, height) in PANELS {
            pen.fill(x, top, 1, height as u32, GRID, 0.6);
        }
        let text = format!("{} s", (at * 1e3).round() / 1e3);
        let left = x - TextSize::Small.width(&text) / 2;
        pen.text(left, last_top + last_height + 8, &text, TextSize::Small, INK);
        at += step;
    }
    let text = "seconds of flight";
    let left = (LEFT + RIGHT - TextSize::Small.width(text)) / 2;
    pen.text(left, last_top + last_height + 30, text, TextSize::Small, FAINT);
}

/// The greatest of what a flight saw, at least `least`.
fn greatest(flight: &Log, of: impl Fn(&Sample) -> f64, least: f64) -> f64 {
    flight.samples.iter().map(of).fold(least, |a, b| if b > a { b } else { a })
}

/// A frame with a scale.
struct Panel {
    /// Where it begins along Y, and how high it is.
    at: (i64, i64),
    low: f64,
    high: f64,
}

impl Panel {
    fn linear(at: (i64, i64), most: f64) -> Self {
        Self { at, low: 0.0, high: most }
    }

    fn y(&self, value: f64) -> i64 {
        let (top, height) = self.at;
        let part = (value - self.low) / (self.high - self.low);
        let part = if part > 0.0 { part } else { 0.0 };
        top + height - 1 - ((height - 1) as f64 * if part < 1.0 { part } else { 1.0 }) as i64
    }

    fn frame(&self, pen: &mut dyn Pen) {
        let (top, height) = self.at;
        pen.fill(LEFT - 1, top, 1, height as u32, FAINT, 1.0);
        pen.fill(LEFT - 1, top + height, (RIGHT - LEFT + 1) as u32, 1, FAINT, 1.0);
    }

    /// A line of the grid and what it stands for.
    fn line(&self, pen: &mut dyn Pen, value: f64, text: &str) {
        let y = self.y(value);
        pen.fill(LEFT, y, (RIGHT - LEFT) as u32, 1, GRID, 1.0);
        pen.text(LEFT - 8 - TextSize::Small.width(text), y - 8, text, TextSize::Small, INK);
    }

    /// Lines at round values.
    fn lines(&self, pen: &mut dyn Pen, unit: &str) {
        let step = nice_length(self.high / 2.0);
        let mut value = 0.0;
        while value <= self.high {
            self.line(pen, value, &format!("{}{unit}", (value * 1e3).round() / 1e3));
            value += step;
        }
    }

    /// What it shows, above it.
    fn keys(&self, pen: &mut dyn Pen, title: &str, keys: &[(Rgb, &str)]) {
        let y = self.at.0 - 26;
        pen.text(LEFT, y, title, TextSize::Small, INK);
        let mut x = LEFT + 150;
        for (colour, text) in keys {
            pen.fill(x, y + 3, 11, 11, *colour, 1.0);
            pen.text(x + 18, y, text, TextSize::Small, INK);
            x += 18 + TextSize::Small.width(text) + 28;
        }
    }

    /// For each column of pixels a bar from the least to the greatest of its ticks.
    fn ranges(&self, pen: &mut dyn Pen, log: &Log, colour: Rgb, of: impl Fn(&Sample) -> f64) {
        let bars: Vec<Bar> = columns(log, of)
            .map(|(x, low, high)| Bar { x, top: self.y(high), bottom: self.y(low) })
            .collect();
        pen.bars(&bars, colour, 1.0);
    }

    /// For each column of pixels a bar from zero to the greatest of its ticks.
    fn area(&self, pen: &mut dyn Pen, log: &Log, colour: Rgb, of: impl Fn(&Sample) -> f64) {
        let bars: Vec<Bar> = columns(log, of)
            .filter(|(_, _, high)| *high > 0.0)
            .map(|(x, _, high)| Bar { x, top: self.y(high), bottom: self.y(0.0) })
            .collect();
        pen.bars(&bars, colour, 0.8);
    }
}

/// The columns of pixels of a panel, with the least and the greatest of the ticks in each; where ticks
/// are fewer, a tick takes several columns.
fn columns(log: &Log, of: impl Fn(&Sample) -> f64) -> impl Iterator<Item = (i64, f64, f64)> {
    let (count, wide) = (log.samples.len(), (RIGHT - LEFT) as usize);
    (0..wide).filter(move |_| count > 0).map(move |column| {
        let first = column * count / wide;
        let end = ((column + 1) * count / wide).max(first + 1);
        let values = log.samples[first..end].iter().map(&of);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            low = if value < low { value } else { low };
            high = if value > high { value } else { high };
        }
        (LEFT + column as i64, low, high)
    })
}
