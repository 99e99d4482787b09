//! The tags of a GeoTIFF for place and voids (*OGC GeoTIFF 1.1*; `GDAL_NODATA`).

use ::tiff::tags::Tag;

use super::layout::TiffDecoder;

use crate::import::geo::SourceSpacing;

/// The value that marks voids, written in the file as a decimal.
pub(crate) fn nodata(decoder: &mut TiffDecoder) -> Option<f64> {
    let text = decoder.get_tag_ascii_string(Tag::GdalNodata).ok()?;
    text.trim_matches(|c: char| c == '\0' || c.is_whitespace()).parse().ok()
}

/// Distances between samples and the latitude of the middle, as far as the file gives them; or a note on why
/// they are ignored.
pub(crate) fn spacing(
    decoder: &mut TiffDecoder,
    rows: u32,
) -> Result<Option<SourceSpacing>, String> {
    let Some(grid) = grid(decoder) else { return Ok(None) };
    let ignored = |why: &str| format!("{why}: the file's spacing is ignored");
    let (x, y) = grid.spacing.ok_or_else(|| ignored("the grid is rotated on the map"))?;
    if !(x.is_finite() && y.is_finite() && x > 0.0 && y > 0.0) {
        return Err(format!("the file's spacing of {x} × {y} is invalid and is ignored"));
    }
    let keys = GeoKeys(decoder.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap_or_default());
    match keys.value(MODEL_TYPE) {
        Some(MODEL_GEOGRAPHIC) => {
            let unit = keys.value(ANGULAR_UNITS).unwrap_or(UNIT_DEGREE);
            if unit != UNIT_DEGREE {
                return Err(ignored(&format!("angular unit {unit} is unknown")));
            }
            let unknown = || ignored("no tie point, so the latitude is unknown");
            let (tie_row, tie_latitude) = grid.tie.ok_or_else(unknown)?;
            // Rows are counted from the edge of the first one if a sample represents an area.
            let is_point = keys.value(RASTER_TYPE) == Some(RASTER_POINT);
            let centre_row = f64::from(if is_point { rows - 1 } else { rows }) * 0.5;
            let centre_latitude = tie_latitude - (centre_row - tie_row) * y;
            if !(-90.0..=90.0).contains(&centre_latitude) {
                return Err(ignored(&format!("latitude {centre_latitude} is invalid")));
            }
            Ok(Some(SourceSpacing::Degrees { lon_step: x, lat_step: y, centre_latitude }))
        }
        Some(MODEL_PROJECTED) => {
            let metres = keys.value(LINEAR_UNITS).map_or(Some(1.0), metres_per_unit);
            let metres = metres.ok_or_else(|| ignored("the map's unit of length is unknown"))?;
            Ok(Some(SourceSpacing::Metres { x: x * metres, z: y * metres }))
        }
        _ => Err("the file gives a spacing without a unit: it is ignored".to_owned()),
    }
}

/// The grid on the map.
struct Grid {
    /// Map units between columns and between rows; `None` if the grid is rotated.
    spacing: Option<(f64, f64)>,
    /// A row and its northing or latitude.
    tie: Option<(f64, f64)>,
}

/// From pixel scale and tie point, or from a transformation of columns and rows.
fn grid(decoder: &mut TiffDecoder) -> Option<Grid> {
    if let Ok(scale) = decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag)
        && let [x, y, ..] = scale[..]
    {
        // A tie point is column, row, level, easting, northing, height.
        let ties = decoder.get_tag_f64_vec(Tag::ModelTiepointTag).unwrap_or_default();
        let tie = match ties[..] {
            [_, row, _, _, northing, _, ..] => Some((row, northing)),
            _ => None,
        };
        return Some(Grid { spacing: Some((x, y)), tie });
    }
    let matrix = decoder.get_tag_f64_vec(Tag::ModelTransformationTag).ok()?;
    let [x, turn_x, _, _, turn_y, y, _, northing, ..] = matrix[..] else { return None };
    let straight = turn_x == 0.0 && turn_y == 0.0;
    Some(Grid { spacing: straight.then_some((x, -y)), tie: Some((0.0, northing)) })
}

/// The GeoKey directory: a header of four words, then four for each key.
struct GeoKeys(Vec<u16>);

impl GeoKeys {
    /// The value of a key that is stored in the directory itself.
    fn value(&self, key: u16) -> Option<u16> {
        let entries = self.0.get(4..)?.chunks_exact(4);
        entries.into_iter().find(|entry| entry[0] == key && entry[1] == 0).map(|entry| entry[3])
    }
}

const MODEL_TYPE: u16 = 1024;
const RASTER_TYPE: u16 = 1025;
const ANGULAR_UNITS: u16 = 2054;
const LINEAR_UNITS: u16 = 3076;
const MODEL_PROJECTED: u16 = 1;
const MODEL_GEOGRAPHIC: u16 = 2;
const RASTER_POINT: u16 = 2;
const UNIT_DEGREE: u16 = 9102;

/// Metres in a linear unit, by its EPSG code.
fn metres_per_unit(code: u16) -> Option<f64> {
    match code {
        9001 => Some(1.0),
        9002 => Some(0.3048),
        9003 => Some(1200.0 / 3937.0),
        9036 => Some(1000.0),
        _ => None,
    }
}
