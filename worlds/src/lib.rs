//! Scenes and recipes shared by tests, benches and the demo.
