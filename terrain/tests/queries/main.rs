//! Questions about everything solid.

mod brute;
mod places;
mod scene;
mod seams;

use marchland_terrain::glam;

/// As the judge knows a triangle.
type Corners = [glam::DVec3; 3];
