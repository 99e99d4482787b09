//! OpenEXR: one channel of half, float or unsigned samples, or colours that are all gray. Values
//! are metres; NaN is a void. Decoded whole, within a limit.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use ::exr::image::{AnyChannels, FlatSamples};
use ::exr::meta::MetaData;
use ::exr::prelude::{ReadChannels, ReadLayers};
use marchland_terrain::math::{greater, lesser};

use super::error::{ImportError, Problem};
use super::options::{Channel, ImportOptions};
use super::raster::{
    Raster, Row, RowReader, Samples, WHOLE_SAMPLES_MAX, check_plausible, check_size, check_whole,
    open_file, refuse_infinite,
};

/// Greatest difference between colours that is accepted as gray.
const GRAY_DIFFERENCE_MAX: f64 = 1.0 / 255.0;

/// Greatest expansion of a compressed block; deflate's 1032 is the greatest of EXR's lossless methods.
const EXPANSION_MAX: u64 = 4096;

/// Opens an EXR.
pub(crate) fn open(path: &Path, options: &ImportOptions) -> Result<Raster, ImportError> {
    let size = check_header(path)?;
    let mut channels = read_channels(path, size)?;
    let mut notes = Vec::new();
    let index = choose(path, &channels, options.channel, &mut notes)?;
    let samples = channels.swap_remove(index).samples;
    let reader = ExrRows {
        path: path.to_owned(),
        samples,
        columns: size.0 as usize,
        nodata: options.nodata,
        row: 0,
        values: Vec::new(),
    };
    let raster = Raster::new(size, Samples::Real, reader);
    Ok(Raster { channel: options.channel, notes, ..raster })
}

/// Reads only the header and checks the size of the first layer, which is the one that is read.
fn check_header(path: &Path) -> Result<(u32, u32), ImportError> {
    let (file, file_bytes) = open_file(path)?;
    let input = BufReader::new(file);
    let meta = MetaData::read_from_buffered(input, false).map_err(|e| damaged(path, e))?;
    let Some(header) = meta.headers.first() else {
        return Err(ImportError::corrupt(path, "EXR", "no layers"));
    };
    if meta.headers.len() > 1 || header.deep {
        let found = format!("an EXR of {} layers", meta.headers.len());
        return Err(ImportError::unsupported(path, found, "one flat layer"));
    }
    let size = header.layer_size;
    let (columns, rows) = check_size(path, size.0 as u64, size.1 as u64)?;
    let samples = u64::from(columns) * u64::from(rows) * header.channels.list.len() as u64;
    check_whole(path, columns, rows, "an EXR")?;
    if samples > 2 * WHOLE_SAMPLES_MAX {
        let limit = format!("at most {} in all channels", 2 * WHOLE_SAMPLES_MAX);
        let (columns, rows) = (columns.into(), rows.into());
        return Err(ImportError::new(path, Problem::TooLarge { columns, rows, limit }));
    }
    // A sample takes at least two bytes.
    check_plausible(path, (columns, rows), file_bytes, samples * 2, EXPANSION_MAX)?;
    Ok((columns, rows))
}

/// A channel of the first layer.
struct ExrChannel {
    name: String,
    samples: FlatSamples,
}

impl ExrChannel {
    fn value(&self, index: usize) -> f64 {
        sample(&self.samples, index)
    }

    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

fn sample(samples: &FlatSamples, index: usize) -> f64 {
    match samples {
        FlatSamples::F16(all) => all.get(index).map_or(f64::NAN, |v| v.to_f64()),
        FlatSamples::F32(all) => all.get(index).map_or(f64::NAN, |&v| v.into()),
        FlatSamples::U32(all) => all.get(index).map_or(f64::NAN, |&v| v.into()),
    }
}

fn read_channels(path: &Path, (columns, rows): (u32, u32)) -> Result<Vec<ExrChannel>, ImportError> {
    let file = File::open(path).map_err(|e| ImportError::io(path, "open", e))?;
    let image = ::exr::prelude::read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .non_parallel()
        .from_buffered(BufReader::new(file))
        .map_err(|e| damaged(path, e))?;
    let layer = image.layer_data;
    let AnyChannels { list } = layer.channel_data;
    let mut channels = Vec::new();
    for channel in list {
        if channel.sampling.0 != 1 || channel.sampling.1 != 1 {
            let found = format!("channel {} has fewer samples than pixels", channel.name);
            return Err(ImportError::unsupported(path, found, "one sample per pixel"));
        }
        if channel.sample_data.len() != columns as usize * rows as usize {
            return Err(ImportError::corrupt(path, "EXR", "a channel is too short"));
        }
        channels.push(ExrChannel { name: channel.name.to_string(), samples: channel.sample_data });
    }
    Ok(channels)
}

/// The channel with the heights: the requested one, the only one, luminance, or gray colours.
fn choose(
    path: &Path,
    channels: &[ExrChannel],
    wanted: Option<Channel>,
    notes: &mut Vec<String>,
) -> Result<usize, ImportError> {
    let find = |name: &str| channels.iter().position(|channel| channel.is(name));
    let no_such = |wanted| {
        let names: Vec<_> = channels.iter().map(|channel| channel.name.as_str()).collect();
        let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        ImportError::new(path, Problem::NoSuchChannel { wanted, has })
    };
    if let Some(channel) = wanted {
        return find(channel.letter()).ok_or_else(|| no_such(channel.letter()));
    }
    if channels.len() == 1 {
        return Ok(0);
    }
    if let Some(alpha) = find("a") {
        let least = least(&channels[alpha].samples);
        if least < 1.0 {
            return Err(ImportError::new(path, Problem::AlphaUsed { least, full_scale: 1.0 }));
        }
        notes.push("the alpha channel is opaque and is ignored".to_owned());
    }
    match (find("r"), find("g"), find("b"), find("y")) {
        (Some(red), Some(green), Some(blue), _) => {
            let colours = [&channels[red], &channels[green], &channels[blue]];
            let greatest = greatest_difference(colours);
            if greatest > GRAY_DIFFERENCE_MAX {
                let (full_scale, allowed) = (1.0, GRAY_DIFFERENCE_MAX);
                let problem = Problem::ColoursDiffer { greatest, full_scale, allowed };
                return Err(ImportError::new(path, problem));
            }
            notes.push(if greatest > 0.0 {
                format!("colours differ by at most {greatest}: taken as gray from the red channel")
            } else {
                "colours are equal: taken as gray".to_owned()
            });
            Ok(red)
        }
        (_, _, _, Some(luminance)) => Ok(luminance),
        _ => Err(no_such("y, or r, g and b")),
    }
}

/// Least value; voids are ignored.
fn least(samples: &FlatSamples) -> f64 {
    let values = (0..samples.len()).map(|index| sample(samples, index));
    values.fold(f64::INFINITY, |least, value| lesser(value, least))
}

/// Greatest difference between the colours of one pixel; infinite if some but not all are voids.
fn greatest_difference([red, green, blue]: [&ExrChannel; 3]) -> f64 {
    let mut greatest = 0.0;
    for index in 0..red.samples.len() {
        let (r, g, b) = (red.value(index), green.value(index), blue.value(index));
        for (one, other) in [(r, g), (r, b), (g, b)] {
            let difference = match (one.is_nan(), other.is_nan()) {
                (true, true) => 0.0,
                (false, false) if one == other => 0.0,
                (false, false) => (one - other).abs(),
                _ => f64::INFINITY,
            };
            greatest = greater(difference, greatest);
        }
    }
    greatest
}

struct ExrRows {
    path: PathBuf,
    samples: FlatSamples,
    columns: usize,
    nodata: Option<f64>,
    row: u32,
    values: Vec<f64>,
}

impl RowReader for ExrRows {
    fn next_row(&mut self) -> Result<Row<'_>, ImportError> {
        let row = self.row;
        self.row += 1;
        let start = row as usize * self.columns;
        // Compared as 32-bit floats, which represent every half exactly; larger whole numbers round in the
        // same way.
        let nodata = self.nodata.map(|value| value as f32);
        let samples = &self.samples;
        self.values.clear();
        self.values.extend((start..start + self.columns).map(|index| {
            let value = sample(samples, index);
            if nodata == Some(value as f32) { f64::NAN } else { value }
        }));
        refuse_infinite(&self.path, &self.values, row)?;
        Ok(Row::Values(&self.values))
    }
}

fn damaged(path: &Path, error: ::exr::error::Error) -> ImportError {
    match error {
        ::exr::error::Error::Io(e) if e.kind() != ErrorKind::InvalidData => {
            ImportError::read(path, "EXR", e)
        }
        ::exr::error::Error::NotSupported(what) => {
            ImportError::unsupported(path, what, "a flat EXR image")
        }
        other => ImportError::corrupt(path, "EXR", other.to_string()),
    }
}
