//! Events of units, in the words of the result object.
//!
//! | event | details |
//! |---|---|
//! | `landed` | `speed` downwards, m/s |
//! | `left_ground` | `reason`: `jumped`, `lost_support`, `thrown` or `moved` |
//! | `slide_began` | `speed` downwards, m/s |
//! | `climb_began` | `rise`, m; 0 on a ladder |
//! | `climb_ended` | |
//! | `stepped` | `rise`, m |
//! | `bounced` | `speed` along the normal, m/s |
//! | `contact_began` | `prop`, `normal` |
//! | `contact_ended` | `prop` |
//! | `crushed` | `prop`, `depth`, m |
//! | `crush_ended` | `prop` |
//! | `held`, `released` | |
//! | `overloaded`, `overload_ended` | |
//! | `stuck` | `depth`, m |
//! | `freed` | |
//! | `resize_refused` | `body` for which there is no room |
//!
//! A prop of the file is given by its index among `[[props]]`, from 0. A prop of a baked world is
//! an object with `sector` (including the shift by `origin_sector`) and its `index` there.

use marchland_controller::{EventKind, LeftGround};
use marchland_terrain::PropId;
use serde_json::{Value, json};

use super::report::EventRecord;
use crate::command::output::shortest;

/// An event of a unit after `tick` ticks. `props` are the props of the file.
pub(super) fn record(tick: u32, unit: &str, kind: &EventKind, props: &[PropId]) -> EventRecord {
    let event = |word| EventRecord::new(tick, unit, word);
    let of_prop = |word, prop| event(word).with("prop", name(prop, props));
    match *kind {
        EventKind::Landed { speed } => event("landed").with("speed", shortest(speed)),
        EventKind::LeftGround { reason } => {
            event("left_ground").with("reason", reason_word(reason))
        }
        EventKind::SlideBegan { speed } => event("slide_began").with("speed", shortest(speed)),
        EventKind::ClimbBegan { rise } => event("climb_began").with("rise", shortest(rise)),
        EventKind::ClimbEnded => event("climb_ended"),
        EventKind::Stepped { rise } => event("stepped").with("rise", shortest(rise)),
        EventKind::Bounced { speed } => event("bounced").with("speed", shortest(speed)),
        EventKind::ContactBegan { prop, normal } => {
            let normal = normal.to_array().map(shortest).to_vec();
            of_prop("contact_began", prop).with("normal", normal)
        }
        EventKind::ContactEnded { prop } => of_prop("contact_ended", prop),
        EventKind::Crushed { prop, depth } => {
            of_prop("crushed", prop).with("depth", shortest(depth))
        }
        EventKind::CrushEnded { prop } => of_prop("crush_ended", prop),
        EventKind::Held => event("held"),
        EventKind::Released => event("released"),
        EventKind::Overloaded => event("overloaded"),
        EventKind::OverloadEnded => event("overload_ended"),
        EventKind::Stuck { depth } => event("stuck").with("depth", shortest(depth)),
        EventKind::Freed => event("freed"),
        // The library may add events before the tool supports them.
        _ => event("other"),
    }
}

/// A body that a unit requested but did not get, because there is no room for it.
pub(super) fn resize_refused(tick: u32, unit: &str, body: &str) -> EventRecord {
    EventRecord::new(tick, unit, "resize_refused").with("body", body)
}

fn reason_word(reason: LeftGround) -> &'static str {
    match reason {
        LeftGround::Jumped => "jumped",
        LeftGround::LostSupport => "lost_support",
        LeftGround::Thrown => "thrown",
        LeftGround::Moved => "moved",
        _ => "other",
    }
}

fn name(prop: PropId, props: &[PropId]) -> Value {
    match prop {
        PropId::Baked { sector, index } => {
            json!({ "sector": [sector.x, sector.z], "index": index })
        }
        PropId::Live { .. } => props.iter().position(|known| *known == prop).into(),
    }
}

#[cfg(test)]
mod tests {
    use marchland_terrain::SectorCoord;
    use marchland_terrain::glam::Vec3;

    use super::*;

    #[test]
    fn every_event_has_its_word_and_its_details() {
        let live = |slot| PropId::Live { slot, generation: 0 };
        let props = [live(4), live(7)];
        let baked = PropId::Baked { sector: SectorCoord::new(-3, 5), index: 12 };
        let normal = Vec3::new(0.0, 0.8, 0.6);
        let table = [
            (EventKind::Landed { speed: 3.1 }, r#""landed","speed":3.1"#),
            (
                EventKind::LeftGround { reason: LeftGround::Jumped },
                r#""left_ground","reason":"jumped""#,
            ),
            (
                EventKind::LeftGround { reason: LeftGround::LostSupport },
                r#""left_ground","reason":"lost_support""#,
            ),
            (
                EventKind::LeftGround { reason: LeftGround::Thrown },
                r#""left_ground","reason":"thrown""#,
            ),
            (
                EventKind::LeftGround { reason: LeftGround::Moved },
                r#""left_ground","reason":"moved""#,
            ),
            (EventKind::SlideBegan { speed: 0.25 }, r#""slide_began","speed":0.25"#),
            (EventKind::ClimbBegan { rise: 1.2 }, r#""climb_began","rise":1.2"#),
            (EventKind::ClimbEnded, r#""climb_ended""#),
            (EventKind::Stepped { rise: 0.4 }, r#""stepped","rise":0.4"#),
            (EventKind::Bounced { speed: 2.0 }, r#""bounced","speed":2.0"#),
            (
                EventKind::ContactBegan { prop: live(7), normal },
                r#""contact_began","prop":1,"normal":[0.0,0.8,0.6]"#,
            ),
            (
                EventKind::ContactEnded { prop: baked },
                r#""contact_ended","prop":{"sector":[-3,5],"index":12}"#,
            ),
            (EventKind::Crushed { prop: live(4), depth: 0.1 }, r#""crushed","prop":0,"depth":0.1"#),
            (EventKind::CrushEnded { prop: live(4) }, r#""crush_ended","prop":0"#),
            (EventKind::Held, r#""held""#),
            (EventKind::Released, r#""released""#),
            (EventKind::Overloaded, r#""overloaded""#),
            (EventKind::OverloadEnded, r#""overload_ended""#),
            (EventKind::Stuck { depth: 0.5 }, r#""stuck","depth":0.5"#),
            (EventKind::Freed, r#""freed""#),
        ];
        for (kind, rest) in table {
            let text = serde_json::to_string(&record(12, "a", &kind, &props)).unwrap();
            assert_eq!(text, format!(r#"{{"tick":12,"unit":"a","event":{rest}}}"#));
        }
        let text = serde_json::to_string(&resize_refused(3, "b", "tall")).unwrap();
        assert_eq!(text, r#"{"tick":3,"unit":"b","event":"resize_refused","body":"tall"}"#);
    }
}
