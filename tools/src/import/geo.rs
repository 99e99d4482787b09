//! Distances between samples, from the source, and degrees converted to metres; places in names of SRTM tiles.

/// The distance between neighbouring samples, in the units of the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SourceSpacing {
    /// A grid of longitude and latitude.
    Degrees {
        /// Degrees of longitude between columns.
        lon_step: f64,
        /// Degrees of latitude between rows.
        lat_step: f64,
        /// Latitude at the middle of the source, north positive.
        centre_latitude: f64,
    },
    /// A grid on a map.
    Metres {
        /// Metres between columns.
        x: f64,
        /// Metres between rows.
        z: f64,
    },
}

impl SourceSpacing {
    /// Metres between columns and between rows.
    pub fn metres(self) -> (f64, f64) {
        match self {
            Self::Degrees { lon_step, lat_step, centre_latitude } => {
                degrees_to_metres(lon_step, lat_step, centre_latitude)
            }
            Self::Metres { x, z } => (x, z),
        }
    }
}

/// Converts spacings of longitude and latitude at a latitude to metres along the parallel and the meridian, on
/// the WGS 84 ellipsoid (NIMA TR8350.2). At the equator one degree of longitude is 111 319.491 m, one of
/// latitude 110 574.276 m.
pub fn degrees_to_metres(lon_step: f64, lat_step: f64, latitude: f64) -> (f64, f64) {
    let radians_per_degree = std::f64::consts::PI / 180.0;
    let sine = libm::sin(latitude * radians_per_degree);
    let cosine = libm::cos(latitude * radians_per_degree);
    let w = (1.0 - ECCENTRICITY_SQUARED * sine * sine).sqrt();
    let parallel_radius = SEMI_MAJOR_AXIS * cosine / w;
    let meridian_radius = SEMI_MAJOR_AXIS * (1.0 - ECCENTRICITY_SQUARED) / (w * w * w);
    (
        lon_step * radians_per_degree * parallel_radius,
        lat_step * radians_per_degree * meridian_radius,
    )
}

/// Equatorial radius of WGS 84, metres.
const SEMI_MAJOR_AXIS: f64 = 6_378_137.0;

/// First eccentricity of WGS 84, squared.
const ECCENTRICITY_SQUARED: f64 = 6.694_379_990_141_316e-3;

/// Longitude and latitude of the south-west corner that an SRTM name gives: `N00E010…`.
pub(crate) fn srtm_corner(name: &str) -> Option<(i64, i64)> {
    let bytes = name.as_bytes().first_chunk::<7>()?;
    let [ns, lat @ .., ew, l0, l1, l2] = bytes;
    let digits = |digits: &[u8]| -> Option<i64> {
        let text = std::str::from_utf8(digits).ok()?;
        text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    };
    let latitude = match ns {
        b'N' | b'n' => digits(lat)?,
        b'S' | b's' => -digits(lat)?,
        _ => return None,
    };
    let longitude = match ew {
        b'E' | b'e' => digits(&[*l0, *l1, *l2])?,
        b'W' | b'w' => -digits(&[*l0, *l1, *l2])?,
        _ => return None,
    };
    let on_earth = (-90..90).contains(&latitude) && (-180..180).contains(&longitude);
    on_earth.then_some((longitude, latitude))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_degree_is_as_long_as_the_tables_say() {
        // Lengths of a degree on WGS 84 at 0°, 30° and 60°: longitude, latitude.
        for (latitude, east, north) in [
            (0.0, 111_319.491, 110_574.276),
            (30.0, 96_486.280, 110_852.457),
            (60.0, 55_800.0, 111_412.273),
        ] {
            let (x, z) = degrees_to_metres(1.0, 1.0, latitude);
            assert!((x - east).abs() < 0.5, "{latitude}°: {x}");
            assert!((z - north).abs() < 1.0, "{latitude}°: {z}");
            assert_eq!(degrees_to_metres(1.0, 1.0, -latitude), (x, z));
        }
    }
}
