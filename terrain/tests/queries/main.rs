//! Questions about everything solid.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod brute;
mod places;
mod scene;
mod seams;

use marchland_terrain::glam;

/// As the judge knows a triangle.
type Corners = [glam::DVec3; 3];
