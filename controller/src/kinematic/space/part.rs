//! Parts of a body, and what blocks them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// From the knee up: what blocks while the unit stands.
    Upper,
    /// All of it: what blocks while it falls.
    Whole,
}

/// What blocks a level motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blocking {
    /// Everything that blocks a part.
    All(Part),
    /// The steep faces of props, from the feet up.
    LowWalls,
}
