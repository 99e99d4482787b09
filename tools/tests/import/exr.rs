//! EXR sources.

use ::exr::image::{AnyChannel, AnyChannels, FlatSamples, Image};
use ::exr::prelude::{WritableImage, f16};
use marchland_tools::import::{Channel, ImportOptions, Problem};

use crate::fixtures::*;

fn exr(columns: usize, rows: usize, channels: Vec<(&str, FlatSamples)>) -> Vec<u8> {
    let list = channels.into_iter().map(|(name, samples)| AnyChannel::new(name, samples)).collect();
    let image = Image::from_channels((columns, rows), AnyChannels::sort(list));
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write().to_buffered(&mut bytes).unwrap();
    bytes.into_inner()
}

fn half(values: &[f32]) -> FlatSamples {
    FlatSamples::F16(values.iter().map(|&v| f16::from_f32(v)).collect())
}

pub(crate) fn half_gray() -> Vec<u8> {
    exr(5, 3, vec![("Y", half(&(0..15).map(|i| i as f32 * 0.5).collect::<Vec<_>>()))])
}

#[test]
fn one_channel_of_any_name_and_kind_is_metres() {
    let folder = Folder::new();
    let options = ImportOptions { nodata: Some(-1e30), ..ImportOptions::default() };
    let single = FlatSamples::F32(vec![0.1, f32::NAN, -1e30, 4.0, 5.0, 6.0]);
    let found = grid(&folder.file("float.exr", &exr(3, 2, vec![("height", single)])), &options);
    let found = found.unwrap();
    assert_eq!((found.columns, found.rows), (3, 2));
    assert_eq!(found.at(0, 0), f64::from(0.1_f32));
    assert!(found.at(1, 0).is_nan() && found.at(2, 0).is_nan());
    assert_eq!(found.metres[3..], [4.0, 5.0, 6.0]);
    let whole = FlatSamples::U32(vec![0, 4_000_000_000, 2, 3, 4, 5]);
    let found = grid(&folder.file("whole.exr", &exr(3, 2, vec![("Z", whole)])), &options).unwrap();
    assert_eq!(found.at(1, 0), 4e9);
    let found = grid(&folder.file("half.exr", &half_gray()), &options).unwrap();
    assert_eq!(found.metres, (0..15).map(|i| f64::from(i) * 0.5).collect::<Vec<_>>());
}

#[test]
fn colours_follow_the_rule_of_gray() {
    let folder = Folder::new();
    let red = [0.25, 0.5, 0.75, 1.0];
    let colours = |green: f32, alpha: f32| {
        let mut other = red;
        other[2] = green;
        let channels = vec![
            ("R", half(&red)),
            ("G", half(&other)),
            ("B", half(&red)),
            ("A", half(&[alpha; 4])),
        ];
        folder.file("colours.exr", &exr(2, 2, channels))
    };
    let plain = ImportOptions::default();
    let (source, gray) = opened(&colours(0.7505, 1.0), &plain);
    assert_eq!(gray.metres, [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(source.notes.len(), 2, "{:?}", source.notes);
    assert!(matches!(problem(&colours(0.76, 1.0), &plain), Problem::ColoursDiffer { .. }));
    assert!(matches!(problem(&colours(f32::NAN, 1.0), &plain), Problem::ColoursDiffer { .. }));
    assert!(matches!(problem(&colours(0.75, 0.5), &plain), Problem::AlphaUsed { .. }));
    let green = ImportOptions { channel: Some(Channel::Green), ..ImportOptions::default() };
    assert_eq!(grid(&colours(8.0, 0.5), &green).unwrap().metres, [0.25, 0.5, 8.0, 1.0]);
    let odd = exr(2, 2, vec![("P", half(&red)), ("Q", half(&red))]);
    let refused = problem(&folder.file("odd.exr", &odd), &plain);
    assert!(matches!(refused, Problem::NoSuchChannel { .. }), "{refused}");
    assert!(refused.to_string().contains("P, Q"), "{refused}");
}

#[test]
fn infinite_heights_are_refused() {
    let folder = Folder::new();
    let bytes = exr(2, 2, vec![("Y", half(&[1.0, 2.0, f32::INFINITY, 3.0]))]);
    let refused = problem(&folder.file("inf.exr", &bytes), &ImportOptions::default());
    assert!(matches!(refused, Problem::Infinite { column: 0, row: 1 }), "{refused}");
}
