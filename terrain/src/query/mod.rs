//! Questions about everything solid, ground and props as one surface.
//!
//! ```text
//! TerrainView ─ solids(mask) ────────────────────────▶ Solids ─ support, overlap, sweep, ceiling
//!             └ gather(region, mask, &mut Gathered) ─▶   │
//!                                                        ▼
//!   region   the box that a question reaches, and along which line it moves
//!   walk     every triangle of a region: ground, baked props, live props
//!   gather   the same, kept for many questions
//!   cylinder one triangle against one body: closed forms
//!   seams    what an edge between two triangles would do that the surface does not
//!   inside   what is full behind the triangles
//! ```
//!
//! All geometry is reckoned in `f64` from the centre of the foot disc. Vertices lie on a lattice, so
//! the way from there to a vertex is exact from any sector, and answers do not depend on where in the
//! world a scene stands or from which side of a border it is met.

mod clearance;
mod contact_place;
mod cylinder;
mod gather;
mod inside;
mod nearest;
mod overlap;
mod ray_triangle;
pub(crate) mod raycast;
mod region;
mod seams;
mod solids;
mod support;
mod sweep;
mod types;
mod walk;

pub use cylinder::Cylinder;
pub use gather::Gathered;
pub use overlap::Contacts;
pub use region::Region;
pub use solids::{ALL_LAYERS, Seams, Solids};
pub use support::SupportBy;
pub use types::{
    BODY_MAX, Ceiling, Contact, Impact, MOTION_MAX, QueryError, Support, Sweep, TriangleId,
};
