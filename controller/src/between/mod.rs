//! What a game asks between ticks, above the controllers: ledges, normals, units put in, units as sources of streaming.

pub(crate) mod crowd;
pub(crate) mod ledge;
pub(crate) mod normal;
pub(crate) mod spawn;
