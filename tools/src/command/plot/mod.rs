//! The parts of plots: pens to draw with, and frames with scales.
//!
//! | file | what |
//! |---|---|
//! | `pen` | boxes, bars and text, in a picture of pixels or of SVG elements |
//! | `panel` | a frame with a scale along Y, linear or in decades |

mod panel;
mod pen;

use std::ffi::OsStr;
use std::path::Path;

pub(crate) use self::panel::{LEFT, Panel, RIGHT, axis_title, centred, decade};
pub(crate) use self::pen::{Bar, Pen};
use crate::command::failure::Failure;
use crate::command::render::{Canvas, Rgb};

/// Pixels along a row of every plot.
pub(crate) const WIDTH: u32 = 1280;

pub(crate) const PAPER: Rgb = [255, 255, 255];
pub(crate) const INK: Rgb = [38, 42, 48];
pub(crate) const FAINT: Rgb = [120, 124, 130];
pub(crate) const GRID: Rgb = [226, 228, 232];
pub(crate) const BLUE: Rgb = [40, 102, 178];
pub(crate) const ORANGE: Rgb = [222, 126, 24];
pub(crate) const RED: Rgb = [190, 60, 66];
pub(crate) const GREEN: Rgb = [30, 138, 112];
pub(crate) const PURPLE: Rgb = [130, 84, 168];

/// The format of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// Scalable.
    Svg,
    /// Pixels.
    Png,
}

/// The extension of a file's name, in lower case.
fn end(path: &Path) -> Option<String> {
    path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase)
}

impl PlotKind {
    /// The format by the extension of a file's name.
    ///
    /// # Errors
    /// If it is neither `.svg` nor `.png`.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        match end(path).as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Failure::input(format!(
                "{}: unknown kind of plot, expected .svg or .png",
                path.display()
            ))),
        }
    }

    /// Rejects a picture that is not written as `.png`.
    ///
    /// # Errors
    /// If its file name does not end in `.png`.
    pub fn only_png(path: &Path) -> Result<(), Failure> {
        match end(path).as_deref() {
            Some("png") => Ok(()),
            _ => Err(Failure::input(format!(
                "{}: unknown kind of picture, expected .png",
                path.display()
            ))),
        }
    }

    /// An empty picture of this many rows.
    pub(crate) fn begin(self, height: u32) -> Box<dyn Pen> {
        match self {
            Self::Svg => Box::new(pen::Svg::new(WIDTH, height, PAPER)),
            Self::Png => Box::new(Canvas::new(WIDTH, height, PAPER)),
        }
    }
}
