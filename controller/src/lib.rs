//! Moves units over terrain.
