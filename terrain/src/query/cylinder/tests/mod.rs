//! The closed forms against a judge that knows none of them.

mod apart;
mod cases;
mod column;
mod examples;
mod judge;
mod least;
mod meeting;
mod push;
mod sweep;
mod symmetry;
