//! The demo's world and march, and scenes built from code that tests, benches and the demo share.
//!
//! | module | purpose |
//! |---|---|
//! | [`grid`] | plain rectangular arrays |
//! | [`recipe`] | builds the demo world from scratch: land, erosion, holes, surfaces |
//! | [`demo`] | the demo world as it ships, embedded, and its decoders |
//! | [`demo_props`] | the props of the demo world: a town, woods, rocks |
//! | [`demo_walks`] | walkers in the town's streets, stairs, bridge, lift and ferry |
//! | [`clutter`] | a world full of obstacles in which units get caught, for random walks |
//! | [`cost`] | the cost of crossing the ground |
//! | [`flow`] | ways to a goal from everywhere |
//! | [`judge`] | an independent check of how deep a body is inside something |
//! | [`lanes`] | one unit walks into one obstacle: stairs, ramps, a wall, steps |
//! | [`march`] | the demo's groups, their starts and their routes |
//! | [`scene`] | small synthetic grounds |
//! | [`shapes`] | meshes made by code: crates, stairs, houses, rocks, trees |
//! | [`source`] | grids as sources of a bake |
//! | [`stuck`] | an independent judge of units that do not get on although they could |
//! | [`terrain`] | the scenes as sectors in memory |
//! | [`town`] | 2000 props on gentle hills: the scene of the query benchmarks |
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
pub mod stuck;
pub mod terrain;
pub mod town;
pub mod vast;

pub use grid::Grid;
