//! Climbing: ladders and ledges. Who walks into one begins in `walk::get_over`; `catch` is for who is in the air, or goes
//! over the top of a ladder.

pub(super) mod catch;
pub(super) mod ladder;
pub(super) mod ledge;
pub(crate) mod probe_ledge;
