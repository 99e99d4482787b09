//! Heights, holes and surfaces in, sectors out.

mod source;

pub use source::{CellSource, HeightRow, HeightSource, RowOrder, SourceError};
