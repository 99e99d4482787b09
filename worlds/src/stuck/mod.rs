//! An independent judge of units that do not get on although they could.
//!
//! A unit is *stuck* in two cases:
//!
//! - In a second of an unchanged request it goes less than a tenth of what a
//!   [reference](marchland_reference::walker) goes from the same place, and that is over 10 cm.
//! - It rests for a second; its body has a straight way of 5 cm, and none of 16 requests moves it by 2 cm.
//!
//! The reference reads heights at points and the meshes of props, and asks the libraries for nothing else. It
//! does less than a unit may. Units on or beside what moves are not judged, nor are those in the air.
//!
//! [`Tracks`] applies the first to places, whoever moves what is there; the second needs copies of a unit, and is
//! [`trapped`].

mod near;
mod second;
mod tracks;
mod why;

pub use second::{SECOND, Second};
pub use tracks::{Pause, Tracks};
pub use why::{Cause, RESTS, has_mover, is_suspect, pieces, slow, trapped, walks};
