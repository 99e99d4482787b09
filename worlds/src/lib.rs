//! The demo's world and march, and scenes built from code that tests, benches and the demo share.
//!
//! | module | what it is for |
//! |---|---|
//! | [`grid`] | plain rectangular arrays |
//! | [`recipe`] | makes the demo world from nothing: land, erosion, holes, surfaces |
//! | [`demo`] | the demo world as it ships, embedded, and its decoders |
//! | [`demo_props`] | what stands in the demo world: a town, woods, rocks |
//! | [`demo_walks`] | who walks the town's streets, stairs, bridge, lift and ferry |
//! | [`clutter`] | a world full of what units get caught in, for walks at random |
//! | [`cost`] | what it costs to cross the ground |
//! | [`flow`] | the way to a goal from everywhere |
//! | [`judge`] | an independent check of how deep a body is inside something |
//! | [`lanes`] | one unit walks into one thing: stairs, ramps, a wall, steps |
//! | [`march`] | the demo's groups, where they start and where they go |
//! | [`scene`] | small synthetic grounds |
//! | [`shapes`] | meshes made by code: crates, stairs, houses, rocks, trees |
//! | [`source`] | grids as what a bake reads |
//! | [`terrain`] | the scenes and the demo as sectors in memory |
//! | [`town`] | 2000 props on gentle hills: what queries are measured on |
//! | [`wide`] | many small sectors on a disk, with props: what is streamed in tests |
//! | [`vast`] | land for worlds of many gigabytes, made sector by sector |
//!
//! Places are metres from a grid's north-west corner: x east, z south. Heights are metres upwards.

#![forbid(unsafe_code)]

pub mod clutter;
pub mod cost;
pub mod demo;
pub mod demo_props;
pub mod demo_walks;
pub mod flow;
pub mod grid;
pub mod judge;
pub mod lanes;
pub mod march;
pub mod recipe;
pub mod scene;
pub mod shapes;
pub mod source;
pub mod terrain;
pub mod town;
pub mod vast;
pub mod wide;

pub use grid::Grid;
