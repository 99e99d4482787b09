//! Which file of a folder is which tile: by a pattern, or by the naming schemes of known tools.
//!
//! x grows to the east, y to the south, whatever names call these numbers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::pattern::{Part, Pattern, number};
use crate::import::error::{ImportError, Problem};
use crate::import::formats::is_named_as_tile;
use crate::import::geo::srtm_corner;
use crate::import::options::{Channel, ImportOptions};

/// A file that is a tile.
#[derive(Clone)]
pub(crate) struct Tile {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Decided when the tile was first read, so that later readings need not scan its colours.
    pub(crate) channel: Option<Channel>,
}

/// The tiles of a folder.
pub(crate) struct NamedTiles {
    /// By y and x: row by row from the north-west.
    pub(crate) tiles: BTreeMap<(i64, i64), Tile>,
    pub(crate) scheme: Scheme,
    /// Files that are not tiles.
    pub(crate) ignored: Vec<String>,
}

/// How names encode places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// A given pattern.
    Pattern(Pattern),
    /// `x0_y1` or `name_x0_y1`.
    ColumnRow,
    /// `y1_x0` or `name_y1_x0`.
    RowColumn,
    /// Terrain3D: `name_00-01`, where `_` is plus and `-` is minus.
    Signed,
    /// SRTM: `N00E010`, the south-west corner in degrees.
    Corner,
}

/// The schemes tried if no pattern is given, and their form in messages.
const KNOWN: [(Scheme, &str); 4] = [
    (Scheme::ColumnRow, "x0_y1"),
    (Scheme::RowColumn, "y1_x0"),
    (Scheme::Signed, "terrain_00-01"),
    (Scheme::Corner, "N00E010"),
];

/// Finds the tiles of a folder.
pub(crate) fn find(folder: &Path, options: &ImportOptions) -> Result<NamedTiles, ImportError> {
    let files = list(folder)?;
    let scheme = match &options.tiles {
        Some(text) => Scheme::Pattern(Pattern::parse(folder, text, options.tile_columns)?),
        None => recognise(folder, &files)?,
    };
    let mut tiles: BTreeMap<(i64, i64), Tile> = BTreeMap::new();
    let mut ignored = Vec::new();
    for (name, path) in files {
        let Some((x, y)) = scheme.place(&name).filter(|_| scheme.may_be(&path)) else {
            ignored.push(name);
            continue;
        };
        if let Some(first) = tiles.get(&(y, x)) {
            let (first, second) = (first.name.clone(), name);
            let problem = Problem::TwiceThere { first, second, x, y };
            return Err(ImportError::new(folder, problem));
        }
        tiles.insert((y, x), Tile { name, path, channel: None });
    }
    if tiles.is_empty() {
        return Err(no_tiles(folder, ignored.len(), options.tiles.as_deref()));
    }
    Ok(NamedTiles { tiles, scheme, ignored })
}

/// The files of a folder by name, without folders and hidden files.
fn list(folder: &Path) -> Result<Vec<(String, PathBuf)>, ImportError> {
    let fault = |e| ImportError::io(folder, "list", e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.starts_with('.') && path.is_file() {
            files.push((name, path));
        }
    }
    files.sort();
    Ok(files)
}

/// The known scheme that most of the files match; the first one if several match equally.
fn recognise(folder: &Path, files: &[(String, PathBuf)]) -> Result<Scheme, ImportError> {
    let count = |scheme: &Scheme| {
        let follows =
            |(name, path): &&(String, PathBuf)| scheme.may_be(path) && scheme.place(name).is_some();
        files.iter().filter(follows).count()
    };
    // Backwards, because of equals the last is taken.
    let counted = KNOWN.into_iter().rev().map(|(scheme, _)| (count(&scheme), scheme));
    match counted.max_by_key(|(count, _)| *count) {
        Some((1.., scheme)) => Ok(scheme),
        _ => Err(no_tiles(folder, files.len(), None)),
    }
}

fn no_tiles(folder: &Path, files: usize, pattern: Option<&str>) -> ImportError {
    let known = match pattern {
        Some(pattern) => pattern.to_owned(),
        None => KNOWN.map(|(_, example)| example).join(", "),
    };
    ImportError::new(folder, Problem::NoTiles { files, known })
}

impl Scheme {
    /// The place encoded in a file name.
    fn place(&self, name: &str) -> Option<(i64, i64)> {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        match self {
            Self::Pattern(pattern) => pattern.place(name),
            Self::ColumnRow => lettered_pair(stem, 'x', 'y'),
            Self::RowColumn => lettered_pair(stem, 'y', 'x').map(|(y, x)| (x, y)),
            Self::Signed => signed_pair(stem),
            Self::Corner => srtm_corner(name).map(|(longitude, latitude)| (longitude, -latitude)),
        }
    }

    /// Whether a file can be a tile: a pattern may name any file, a known scheme only pictures.
    fn may_be(&self, path: &Path) -> bool {
        matches!(self, Self::Pattern(_)) || is_named_as_tile(path)
    }

    /// The name of the tile at a place.
    pub(crate) fn name_of(&self, x: i64, y: i64) -> String {
        match self {
            Self::Pattern(pattern) => pattern.name_of(x, y),
            Self::ColumnRow => format!("x{x}_y{y}"),
            Self::RowColumn => format!("y{y}_x{x}"),
            Self::Signed => {
                let sign = |value: i64| if value < 0 { '-' } else { '_' };
                format!("{}{:02}{}{:02}", sign(x), x.abs(), sign(y), y.abs())
            }
            Self::Corner => {
                let (north, east) = (if y <= 0 { 'N' } else { 'S' }, if x < 0 { 'W' } else { 'E' });
                format!("{north}{:02}{east}{:03}", y.abs(), x.abs())
            }
        }
    }

    /// Tiles along a row, if the scheme specifies it.
    pub(crate) fn tile_columns(&self) -> Option<u32> {
        match self {
            Self::Pattern(pattern) if pattern.has(&Part::Index) => pattern.tile_columns,
            _ => None,
        }
    }
}

/// `…x12_y34` for the letters x and y, at the end of a name.
fn lettered_pair(stem: &str, first: char, second: char) -> Option<(i64, i64)> {
    let (rest, second_value) = digits_at_end(stem)?;
    let rest = strip_letter(rest, second)?.strip_suffix('_')?;
    let (rest, first_value) = digits_at_end(rest)?;
    let before = strip_letter(rest, first)?;
    // `max0_y1` contains no column.
    let is_word = before.chars().next_back().is_some_and(char::is_alphabetic);
    (!is_word).then_some((first_value, second_value))
}

fn strip_letter(text: &str, letter: char) -> Option<&str> {
    text.strip_suffix(letter).or_else(|| text.strip_suffix(letter.to_ascii_uppercase()))
}

/// Terrain3D's `_00-01`: sign and two digits, twice, at the end of a name.
fn signed_pair(stem: &str) -> Option<(i64, i64)> {
    let (rest, y) = signed_at_end(stem)?;
    let (_, x) = signed_at_end(rest)?;
    Some((x, y))
}

fn signed_at_end(text: &str) -> Option<(&str, i64)> {
    let (rest, value) = digits_at_end(text)?;
    if text.len() - rest.len() != 2 {
        return None;
    }
    match (rest.strip_suffix('_'), rest.strip_suffix('-')) {
        (Some(rest), _) => Some((rest, value)),
        (None, Some(rest)) => Some((rest, -value)),
        (None, None) => None,
    }
}

/// The number at the end of a text, and the text before it.
fn digits_at_end(text: &str) -> Option<(&str, i64)> {
    let rest = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let value = number(&text[rest.len()..])?;
    Some((rest, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_give_their_places() {
        for (scheme, name, place) in [
            (Scheme::ColumnRow, "x3_y12.png", Some((3, 12))),
            (Scheme::ColumnRow, "island_x3_y12.r16", Some((3, 12))),
            (Scheme::ColumnRow, "island_X3_Y12.r16", Some((3, 12))),
            (Scheme::ColumnRow, "max3_y12.png", None),
            (Scheme::ColumnRow, "x_y1.png", None),
            (Scheme::RowColumn, "island_y12_x3.png", Some((3, 12))),
            (Scheme::RowColumn, "x3_y12.png", None),
            (Scheme::Signed, "terrain3d_00-01.r32", Some((0, -1))),
            (Scheme::Signed, "terrain3d-02_03.r32", Some((-2, 3))),
            (Scheme::Signed, "terrain3d_100-01.r32", None),
            (Scheme::Corner, "N00E010.hgt", Some((10, 0))),
            (Scheme::Corner, "s45w070.SRTMGL1.hgt", Some((-70, 45))),
            (Scheme::Corner, "N99E010.hgt", None),
            (Scheme::Corner, "Néé.hgt", None),
            (Scheme::ColumnRow, "x99999999999_y1.png", None),
        ] {
            assert_eq!(scheme.place(name), place, "{name}");
        }
    }

    #[test]
    fn names_are_made_as_they_are_read() {
        for (scheme, x, y) in [
            (Scheme::ColumnRow, 3, 12),
            (Scheme::RowColumn, 3, 12),
            (Scheme::Signed, -2, 3),
            (Scheme::Corner, -70, 45),
            (Scheme::Corner, 10, 0),
        ] {
            let name = scheme.name_of(x, y);
            assert_eq!(scheme.place(&(name.clone() + ".png")), Some((x, y)), "{name}");
        }
    }
}
