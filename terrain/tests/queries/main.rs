//! Questions about everything solid.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod baked;
mod bare;
mod brute;
mod depths;
mod ground_under;
mod level;
mod level_faces;
mod parry;
mod places;
mod scene;
mod seams;
mod steeper;
mod sweep_on;
mod ties;
mod totality;

use marchland_terrain::glam;

/// As the judge knows a triangle.
type Corners = [glam::DVec3; 3];
