//! The body of a walker, and what it keeps to.

/// The body of a walker. Metres.
#[derive(Clone, Copy, Debug)]
pub struct WalkerBody {
    /// Of the cylinder.
    pub radius: f64,
    /// Feet to top.
    pub height: f64,
    /// Height of the split.
    pub knee: f64,
    /// Greatest drop that is followed.
    pub step_down: f64,
    /// The upward part of the normal of the steepest ground that is walked on.
    pub max_slope_cos: f64,
    /// How much of what is steep, from the feet up, is no wall.
    pub trifle: f64,
    /// The part of its request by which it steers as it slides.
    pub slide_control: f64,
}

/// What blocks is kept so far away. Metres.
pub const SKIN: f64 = 0.01;
/// Who is so near to its support stands on it. Metres.
pub(super) const STANDS: f64 = 0.04;
/// Way of a stride. Metres.
pub(super) const STRIDE: f64 = 0.001;
/// Acceleration of a fall. Metres per second squared.
pub(super) const GRAVITY: f64 = 9.81;
/// Gentle ground lifts the knees by at most so much at once. Metres.
pub(super) const LIFTED: f64 = 0.1;
/// Who is so near to a piece is on its edge, as far as anybody can tell. Metres.
pub(super) const ON_EDGE: f64 = 1e-6;
/// The middle keeps so far from the edge of ground that is a wall to it: two such edges that meet in a point leave no
/// gap between them. Metres.
pub(super) const KEPT: f64 = 1e-5;
/// Pieces are chosen anew after so much of the way. Metres.
pub(super) const LOOK: f64 = 0.25;
/// Least part of its way that is along the request.
pub(super) const ALONG: f64 = 0.25;
/// The part of the way aside, on the steepest slope that it walks, above which walls hold it: less than 1, so that none
/// is let down by rounding; but nobody gets up by that.
pub(super) const HELD: f64 = 0.98;
pub(super) const ALL: f64 = 1.0 - 1e-6;
/// How often a height is halved to find what is free above a head.
pub(super) const HALVINGS: u32 = 24;
/// Who is so much lower, by a way steeper than it walks, and still comes down so fast, has fallen: nobody let down inch
/// by inch. Metres, and metres a second.
pub(super) const FALLEN: f64 = 0.1;
pub(super) const FALLS: f64 = 0.3;
