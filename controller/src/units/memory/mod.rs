//! What is remembered beside a unit, from tick to tick: its ground, its surroundings, what it asked. None of it is state.
//!
//! It is valid while a number of the surroundings stays the same (`batch::cache_keys`: sectors that come, go or change),
//! and given to units in `batch::tick_start`, which forgets it near live props. `batch::cache_expiry` removes what nobody
//! uses.

pub(crate) mod cells;
pub(crate) mod gather_cache;
pub(crate) mod known_places;
pub(crate) mod unit_memory;
