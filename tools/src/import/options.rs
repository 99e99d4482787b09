//! Settings of a caller for what a source does not specify itself.

use std::path::Path;

use super::error::ImportError;

/// What is known about a source besides its bytes. The default leaves everything to the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// How files are to be read.
    pub format: Format,
    /// Byte order of raw samples; little-endian unless given.
    pub endian: Option<Endian>,
    /// The channel that holds the heights, if there are several.
    pub channel: Option<Channel>,
    /// How heights are packed into the colours of a picture.
    pub encoding: Option<Encoding>,
    /// Samples along a row of a raw file.
    pub columns: Option<u32>,
    /// Rows of a raw file.
    pub rows: Option<u32>,
    /// How values become metres.
    pub range: Option<HeightRange>,
    /// Row 0 of the file, or of the whole set of tiles, is south.
    pub flip_y: bool,
    /// A value, as stored, that marks a void.
    pub nodata: Option<f64>,
    /// File names of tiles, with `{x}` and `{y}`, or with `{i}`.
    pub tiles: Option<String>,
    /// Tiles along a row, for `{i}`: the index is y × columns + x.
    pub tile_columns: Option<u32>,
    /// Samples that neighbouring tiles share: 0 or 1; detected unless given.
    pub tile_overlap: Option<u32>,
    /// Missing tiles are outside the world, not an error.
    pub allow_missing: bool,
}

/// How a file is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "command", derive(clap::ValueEnum))]
pub enum Format {
    /// Detected from the first bytes and the file name.
    #[default]
    Auto,
    /// PNG, gray or with heights packed into colours.
    Png,
    /// Raw unsigned 16-bit samples.
    R16,
    /// Raw 32-bit floats, metres.
    R32,
    /// SRTM tile, big-endian signed 16-bit metres.
    Hgt,
    /// TIFF or GeoTIFF, metres.
    Tiff,
    /// OpenEXR, metres.
    Exr,
    /// JPEG of 8 bits; its compression changes values.
    Jpeg,
    /// WebP of 8 bits, lossy or lossless.
    Webp,
    /// BMP of 8 bits a channel.
    Bmp,
    /// TGA of 8 bits a channel.
    Tga,
}

impl Format {
    /// The name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "unknown",
            Self::Png => "PNG",
            Self::R16 | Self::R32 => "raw",
            Self::Hgt => "HGT",
            Self::Tiff => "TIFF",
            Self::Exr => "EXR",
            Self::Jpeg => "JPEG",
            Self::Webp => "WebP",
            Self::Bmp => "BMP",
            Self::Tga => "TGA",
        }
    }
}

/// Byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "command", derive(clap::ValueEnum))]
pub enum Endian {
    /// Little-endian: the least significant byte first.
    #[cfg_attr(feature = "command", value(name = "le"))]
    Little,
    /// Big-endian: the most significant byte first.
    #[cfg_attr(feature = "command", value(name = "be"))]
    Big,
}

/// A colour channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "command", derive(clap::ValueEnum))]
pub enum Channel {
    /// Red; also the only channel of a gray picture.
    #[cfg_attr(feature = "command", value(name = "r"))]
    Red,
    /// Green.
    #[cfg_attr(feature = "command", value(name = "g"))]
    Green,
    /// Blue.
    #[cfg_attr(feature = "command", value(name = "b"))]
    Blue,
    /// Alpha.
    #[cfg_attr(feature = "command", value(name = "a"))]
    Alpha,
}

impl Channel {
    /// The letter that the command line and EXR use.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Red => "r",
            Self::Green => "g",
            Self::Blue => "b",
            Self::Alpha => "a",
        }
    }
}

/// How heights are packed into 8-bit colours. Both give metres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "command", derive(clap::ValueEnum))]
pub enum Encoding {
    /// R × 256 + G + B / 256 − 32768.
    Terrarium,
    /// −10000 + (R × 65536 + G × 256 + B) × 0.1.
    TerrainRgb,
}

/// How stored values become metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeightRange {
    /// Value 0 is `min`, the greatest value that the samples can hold is `max`. Metres.
    MinMax {
        /// Height of value 0.
        min: f64,
        /// Height of the greatest value.
        max: f64,
    },
    /// Metres = value × scale + offset.
    ScaleOffset {
        /// Metres per unit of value.
        scale: f64,
        /// Metres at value 0.
        offset: f64,
    },
}

impl ImportOptions {
    /// Rejects meaningless settings, before any file is opened.
    pub(crate) fn check(&self, path: &Path) -> Result<(), ImportError> {
        match self.range {
            Some(HeightRange::MinMax { min, max })
                if !(min.is_finite() && max.is_finite() && min < max) =>
            {
                let found = format!("heights from {min} to {max} metres");
                let expected = "finite heights, the lower one first";
                return Err(ImportError::setting(path, found, expected));
            }
            Some(HeightRange::ScaleOffset { scale, offset })
                if !(scale.is_finite() && offset.is_finite() && scale != 0.0) =>
            {
                let found = format!("height scale {scale} and offset {offset}");
                let expected = "finite numbers and a scale other than 0";
                return Err(ImportError::setting(path, found, expected));
            }
            _ => {}
        }
        if let Some(overlap @ 2..) = self.tile_overlap {
            let found = format!("a tile overlap of {overlap}");
            return Err(ImportError::setting(path, found, "0 or 1"));
        }
        for (count, flag) in [
            (self.columns, "--columns"),
            (self.rows, "--rows"),
            (self.tile_columns, "--tile-columns"),
        ] {
            if count == Some(0) {
                return Err(ImportError::setting(path, format!("{flag} 0"), "at least 1"));
            }
        }
        Ok(())
    }

    /// The same options for reading a file again once its channel is known.
    pub(crate) fn with_channel(&self, channel: Option<Channel>) -> Self {
        Self { channel: self.channel.or(channel), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_named_as_on_the_command_line() {
        fn names<T: clap::ValueEnum>() -> String {
            let name = |value: &T| value.to_possible_value().map(|v| v.get_name().to_owned());
            T::value_variants().iter().filter_map(name).collect::<Vec<_>>().join("|")
        }
        assert_eq!(names::<Format>(), "auto|png|r16|r32|hgt|tiff|exr|jpeg|webp|bmp|tga");
        assert_eq!(names::<Endian>(), "le|be");
        assert_eq!(names::<Channel>(), "r|g|b|a");
        assert_eq!(names::<Encoding>(), "terrarium|terrain-rgb");
    }
}
