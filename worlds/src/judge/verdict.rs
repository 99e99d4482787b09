//! What is judged, and what the judge says.

use marchland_controller::Body;
use marchland_terrain::PropId;

/// The judged part of a body: an upright cylinder from the knee up. Metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedBody {
    /// Of the cylinder.
    pub radius: f32,
    /// Height above the feet up to which overlaps are ignored.
    pub knee: f32,
    /// From the feet to the top.
    pub height: f32,
}

impl From<&Body> for JudgedBody {
    fn from(body: &Body) -> Self {
        Self { radius: body.radius(), knee: body.knee(), height: body.height() }
    }
}

/// What a body is inside.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Culprit {
    /// Nothing.
    #[default]
    Nobody,
    /// The ground, or a wall below the rim of a hole.
    Ground,
    /// A triangle of a prop; `None` if the body's axis is within the solid.
    Prop {
        /// Which prop.
        prop: PropId,
        /// Which triangle of its mesh.
        triangle: Option<u32>,
    },
}

/// The deepest overlap of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Metres; 0 if the body is free.
    pub depth: f64,
    /// What the body overlaps.
    pub culprit: Culprit,
}

impl Verdict {
    /// Takes a depth if it is the greatest so far.
    pub(super) fn consider(&mut self, depth: f64, culprit: Culprit) {
        if depth > self.depth {
            *self = Self { depth, culprit };
        }
    }
}
