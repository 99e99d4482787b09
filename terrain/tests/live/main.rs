//! Props that come, go and move at run time.

mod find;
mod ids;
mod motion;
mod scene;
mod state;
