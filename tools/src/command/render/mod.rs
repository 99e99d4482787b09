//! Pictures of worlds: maps with shaded relief, and what is drawn on them.

mod canvas;
mod footprints;
mod furniture;
mod heights;
mod palette;
mod relief;

pub use canvas::{Canvas, Rgb, TextSize};
pub use footprints::{Footprint, FootprintPen, PROP_FILL, PROP_LINE};
pub(crate) use furniture::{INK, PAPER};
pub use furniture::{Line, draw_scale_bar, height_text, nice_length, with_legend};
pub use heights::{HeightImage, MapRect, PixelGround};
pub use palette::{height_tint, surface_colour, surface_colours};
pub(crate) use relief::{HOLE, MISSING, OUTSIDE};
pub use relief::{ReliefStyle, Tint, draw_relief};
