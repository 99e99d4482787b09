//! Units: their columns, what a unit is, and what is asked of it and done to it, in a tick and between ticks.
//!
//! ```text
//! all units      columns                 a column for each thing that every unit has, by slot
//!                contact_state           what most units lack: what they stand on, touch, climb
//!                memory                  what is remembered beside a unit; no state
//!                state, mix              copied, restored, hashed
//! one unit       unit, body, surface     its id and motion; what it can do; how what it stands on responds
//! between ticks  spawn                   added, removed
//!                command, board          thrown, moved, given another body; put onto a moving prop
//! for a tick     wish, settings          asked of one unit; the same for all
//!                executor, switches      on which threads; how it is computed, which changes no bit
//! in it          tick                    what all units share; what became of one
//!                reach, hair             sectors that must be in memory; how much of a rise is rounding
//! after it       event, report, error    what happened, unit by unit; counts; what is refused
//!                frames, normal          for renderers: positions around a camera; how the ground faces
//! ```

// First what makes units: the page of `Units` has its functions in this order.
pub(crate) mod columns;
pub(crate) mod spawn;

pub(crate) mod board;
pub(crate) mod body;
pub(crate) mod command;
pub(crate) mod contact_state;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod executor;
pub(crate) mod frames;
pub(crate) mod hair;
pub(crate) mod memory;
pub(crate) mod mix;
pub(crate) mod normal;
pub(crate) mod reach;
pub(crate) mod report;
pub(crate) mod settings;
pub(crate) mod state;
pub(crate) mod surface;
pub(crate) mod switches;
pub(crate) mod tick;
pub(crate) mod unit;
pub(crate) mod wish;
