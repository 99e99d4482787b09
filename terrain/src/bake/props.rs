//! What is to stand in a world: props one by one, and rules that scatter them.

use crate::heightfield::SurfaceId;
use crate::math::Rotation;
use crate::props::{Collision, PreparedMesh};

/// Everything that is to stand in a world.
#[derive(Clone, Debug, Default)]
pub struct PropInput {
    /// The meshes, each once.
    pub meshes: Vec<PreparedMesh>,
    /// Props, one by one.
    pub props: Vec<PropSource>,
    /// Rules that place many.
    pub scatters: Vec<Scatter>,
}

/// How high a prop's origin stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PropHeight {
    /// Metres.
    At(f64),
    /// So many metres above the ground under it.
    AboveGround(f64),
    /// So many metres above the ground of another place: a whole scene keeps its shape and stands on
    /// the ground with its own origin.
    AboveGroundAt {
        /// X and Z of that place, metres from the centre of sector (0, 0).
        at: [f64; 2],
        /// Metres above the ground there.
        metres: f64,
    },
}

/// What all props of a kind have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PropKind {
    /// Which mesh of the input.
    pub mesh: usize,
    /// Its surface.
    pub surface: SurfaceId,
    /// How it blocks.
    pub collision: Collision,
    /// Layers that it is in.
    pub layers: u32,
}

/// One prop.
#[derive(Clone, Debug, PartialEq)]
pub struct PropSource {
    /// What it is.
    pub kind: PropKind,
    /// What it is called in messages, such as `props.toml, line 12`.
    pub name: String,
    /// X and Z, metres from the centre of sector (0, 0).
    pub position: [f64; 2],
    /// How high it stands.
    pub height: PropHeight,
    /// How it is turned.
    pub rotation: Rotation,
    /// Its uniform scale.
    pub scale: f32,
}

/// How many props a rule places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many in all.
    Count(u64),
    /// So many to a hectare of ground that suits.
    PerHectare(f64),
}

/// A rule that places many props. The same rule over the same ground places the same props.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// What it places.
    pub kind: PropKind,
    /// What it is called in messages.
    pub name: String,
    /// Another seed, other places.
    pub seed: u64,
    /// How many.
    pub amount: Amount,
    /// Least and greatest slope of the ground, rise over run.
    pub slope: [f64; 2],
    /// Least and greatest height of the ground. Metres.
    pub height: [f64; 2],
    /// The surfaces of ground that it places on; all if empty.
    pub on: Vec<SurfaceId>,
    /// Low and high corner of the part of the world that it places in, X and Z, metres from the
    /// centre of sector (0, 0); nothing for all of it.
    pub area: Option<[[f64; 2]; 2]>,
    /// Metres that origins are sunk below the ground.
    pub sink: f64,
    /// Whether each is turned about Y at random.
    pub random_yaw: bool,
    /// Least and greatest scale.
    pub scale: [f32; 2],
}
