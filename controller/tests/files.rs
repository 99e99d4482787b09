//! Bodies, surfaces and settings in a game's own files.
#![allow(clippy::unwrap_used)]

use marchland_controller::{
    BodyBuilder, LeavePlatform, SeparationSettings, SlopeRule, SurfaceResponse, TickMode,
    TickSettings,
};
use marchland_terrain::glam::Vec3;
use serde_json::{from_str, to_string};

#[test]
fn what_a_file_does_not_name_has_its_default() {
    assert_eq!(from_str::<BodyBuilder>("{}").unwrap(), BodyBuilder::default());
    assert_eq!(from_str::<SurfaceResponse>("{}").unwrap(), SurfaceResponse::PLAIN);
    assert_eq!(from_str::<SeparationSettings>("{}").unwrap(), SeparationSettings::default());
    assert_eq!(from_str::<TickSettings>("{}").unwrap(), TickSettings::default());
    let scout = BodyBuilder { climb: 1.5, max_slope_degrees: 60.0, ..BodyBuilder::default() };
    let text = r#"{"climb": 1.5, "max_slope_degrees": 60}"#;
    assert_eq!(from_str::<BodyBuilder>(text).unwrap(), scout);
    let belt = SurfaceResponse { conveyor: Vec3::new(1.0, 0.0, -2.0), ..SurfaceResponse::PLAIN };
    assert_eq!(from_str::<SurfaceResponse>(r#"{"conveyor": [1, 0, -2]}"#).unwrap(), belt);
}

#[test]
fn a_name_that_means_nothing_is_an_error() {
    for text in [r#"{"hight": 2}"#, r#"{"slope_rule": "steep"}"#, r#"{"height": "tall"}"#] {
        assert!(from_str::<BodyBuilder>(text).is_err(), "{text}");
    }
    assert!(from_str::<SurfaceResponse>(r#"{"friktion": 1}"#).is_err());
    assert!(from_str::<SeparationSettings>(r#"{"rates": 1}"#).is_err());
    assert!(from_str::<TickSettings>(r#"{"path": "full"}"#).is_err());
}

#[test]
fn what_is_written_is_read_again_in_the_words_of_scenarios() {
    let rules = [
        (SlopeRule::KeepHorizontalSpeed, "keep_horizontal_speed"),
        (SlopeRule::KeepDirection, "keep_direction"),
        (SlopeRule::KeepPathSpeed, "keep_path_speed"),
        (SlopeRule::Project, "project"),
    ];
    for (slope_rule, word) in rules {
        let body = BodyBuilder { slope_rule, radius: 0.3, ..BodyBuilder::default() };
        let text = to_string(&body).unwrap();
        assert!(text.contains(&format!("\"slope_rule\":\"{word}\"")), "{text}");
        assert_eq!(from_str::<BodyBuilder>(&text).unwrap(), body);
    }
    let ways = [LeavePlatform::Keep, LeavePlatform::Drop, LeavePlatform::Add];
    assert_eq!(ways.map(|way| to_string(&way).unwrap()), [r#""keep""#, r#""drop""#, r#""add""#]);
    let ice = SurfaceResponse { friction: 0.1, ..SurfaceResponse::PLAIN };
    assert_eq!(from_str::<SurfaceResponse>(&to_string(&ice).unwrap()).unwrap(), ice);
    let settings = SeparationSettings { rate: 3.0, ..SeparationSettings::default() };
    assert_eq!(from_str::<SeparationSettings>(&to_string(&settings).unwrap()).unwrap(), settings);
    let settings = TickSettings { gravity: 3.7, mode: TickMode::Strict, ..TickSettings::default() };
    let text = to_string(&settings).unwrap();
    assert!(text.contains(r#""mode":"strict""#), "{text}");
    assert_eq!(from_str::<TickSettings>(&text).unwrap(), settings);
}
