//! Units: their columns, what a unit is, and what is asked of it and done to it, in a tick and between ticks.

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
