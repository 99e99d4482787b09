//! Climbing: ladders and ledges.

pub(super) mod catch;
pub(super) mod ladder;
pub(super) mod ledge;
pub(crate) mod probe_ledge;
