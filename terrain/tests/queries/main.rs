//! Questions about everything solid.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod baked;
mod baked_scene;
mod baked_sectors;
mod bare;
mod brute;
mod depths;
mod full;
mod ground_under;
mod level;
mod level_faces;
mod parry;
mod parry_cases;
mod parry_judge;
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
