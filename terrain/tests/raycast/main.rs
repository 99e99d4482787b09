//! Ray casts: against all triangles by brute force, without a gap, and the same everywhere.
// Helpers of tests may unwrap and panic as tests do.
#![allow(clippy::unwrap_used, clippy::panic)]

mod agreement;
mod brute;
mod prop_brute;
mod prop_parry;
mod prop_scene;
mod props;
mod scene;
mod watertight;
mod world;
