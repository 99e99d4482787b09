//! The props of a bake: props listed one by one, and rules that scatter props.

use crate::heightfield::SurfaceId;
use crate::math::Rotation;
use crate::props::{Collision, PreparedMesh};

/// Maximum number of props in a world, and of candidates of a rule.
pub const PROPS_MAX: u64 = 1 << 24;

/// All props and rules of a bake.
#[derive(Clone, Debug, Default)]
pub struct PropInput {
    /// The meshes, each once.
    pub meshes: Vec<PreparedMesh>,
    /// Props, listed one by one.
    pub props: Vec<PropSource>,
    /// Rules that each place many props.
    pub scatters: Vec<Scatter>,
}

/// How the height of a prop's origin is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PropHeight {
    /// The absolute height. Metres.
    At(f64),
    /// Above the ground under it. Metres.
    AboveGround(f64),
    /// Above the ground at another place: a whole scene keeps its shape, and its own origin stands on the
    /// ground.
    AboveGroundAt {
        /// X and Z of that place, metres from the centre of sector (0, 0).
        at: [f64; 2],
        /// Metres above the ground there.
        metres: f64,
    },
}

/// The properties that all props of a kind share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PropKind {
    /// Index of the mesh in the input.
    pub mesh: usize,
    /// Its surface.
    pub surface: SurfaceId,
    /// How it collides.
    pub collision: Collision,
    /// The layers that it is in, as a bit mask.
    pub layers: u32,
}

/// One prop.
#[derive(Clone, Debug, PartialEq)]
pub struct PropSource {
    /// Its kind.
    pub kind: PropKind,
    /// The name used in messages, such as `props.toml, line 12`.
    pub name: String,
    /// X and Z, metres from the centre of sector (0, 0).
    pub position: [f64; 2],
    /// The height of its origin.
    pub height: PropHeight,
    /// Its rotation.
    pub rotation: Rotation,
    /// Its uniform scale.
    pub scale: f32,
}

/// How many props a rule places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// This many in total.
    Count(u64),
    /// This many per hectare of suitable ground.
    PerHectare(f64),
}

/// A rule that places many props. The same rule on the same ground places the same props.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// The kind of the props that it places.
    pub kind: PropKind,
    /// The name used in messages.
    pub name: String,
    /// The seed: a different seed gives different places.
    pub seed: u64,
    /// How many it places.
    pub amount: Amount,
    /// Minimum and maximum slope of the ground, rise over run.
    pub slope: [f64; 2],
    /// Minimum and maximum height of the ground. Metres.
    pub height: [f64; 2],
    /// The surfaces of the ground where it places props; all if empty.
    pub on: Vec<SurfaceId>,
    /// Low and high corners of the part of the world where it places props, X and Z, metres from the centre
    /// of sector (0, 0); `None` for all of it.
    pub area: Option<[[f64; 2]; 2]>,
    /// Depth of the origins below the ground. Metres.
    pub sink: f64,
    /// Whether each prop is turned about Y by a random angle.
    pub random_yaw: bool,
    /// Minimum and maximum scale.
    pub scale: [f32; 2],
}
