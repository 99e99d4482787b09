//! What is remembered beside a unit, from tick to tick: its ground, its surroundings, what it asked. None of it is state.
//!
//! The ground (`cells`) is valid while its open map is (`batch::open_map::cache`), all else while a number of the
//! surroundings stays the same (`batch::cache_keys`: sectors that come, go or change). It is given to units in
//! `batch::tick_start`, near live props not at all. `batch::cache_expiry` removes what nobody uses.

pub(crate) mod cells;
pub(crate) mod gather_cache;
pub(crate) mod known_places;
pub(crate) mod unit_memory;
