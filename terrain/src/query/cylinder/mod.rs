//! An upright cylinder with flat ends against one triangle: closed forms, in `f64`.
//!
//! The cylinder stands with the centre of its foot disc at the origin; the triangle is given from
//! there.

use glam::DVec3;

/// An upright cylinder with flat ends. Metres, both above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Of the discs.
    pub radius: f32,
    /// From the foot disc to the top disc.
    pub height: f32,
}

/// A triangle, its corners from the centre of the foot disc.
pub(crate) type Corners = [DVec3; 3];
