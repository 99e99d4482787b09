//! Questions about everything solid.

mod places;
mod scene;
mod seams;
