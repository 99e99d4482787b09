//! Ray casts: against all triangles by brute force, without a gap, and the same everywhere.

mod agreement;
mod brute;
mod scene;
mod watertight;
mod world;
