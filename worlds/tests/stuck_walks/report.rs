//! Who was found stuck, counted and reported.

use std::collections::BTreeMap;

use marchland_controller::{Units, Wish};
use marchland_terrain::TerrainView;
use marchland_worlds::clutter::{Moment, scenario};
use marchland_worlds::stuck::Cause;

use crate::watch::{StuckUnit, Watch};

/// How many of each sort are reported.
const REPORTED: usize = 2;

#[derive(Default)]
pub(crate) struct StuckReport {
    sorts: BTreeMap<String, (usize, Vec<String>)>,
    judged: [u64; 2],
}

impl StuckReport {
    pub(crate) fn put(
        &mut self,
        class: &str,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        (stuck, second): (&StuckUnit, f64),
    ) {
        let known = self.sorts.len();
        let (count, reported) = self.sorts.entry(class.to_owned()).or_default();
        *count += 1;
        if reported.len() >= REPORTED {
            return;
        }
        let (kind, amounts) = match stuck.why {
            Cause::Slow { moved, could } => {
                ("slow", format!("{moved:.4} m in a second, could {could:.4}"))
            }
            Cause::Trapped { moved, way } => {
                ("trapped", format!("16 requests move it {moved:.4} m, has a way along {way:.3?}"))
            }
        };
        let wish = wishes[stuck.unit.slot as usize];
        let mut line = format!(
            "{kind} at {:?}, second {second:.2}, request {:?}, {:?}: {amounts}",
            stuck.from.to_metres(units.sector_size()),
            wish.velocity(),
            units.motion(stuck.unit).unwrap()
        );
        if reported.is_empty() && known < 60 {
            let moment = Moment {
                position: units.position(stuck.unit).unwrap(),
                velocity: units.velocity(stuck.unit).unwrap(),
                body: units.body(stuck.unit).unwrap(),
                mask: u32::MAX,
                wish,
            };
            let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stuck_walks");
            std::fs::create_dir_all(&folder).unwrap();
            let file: String = class
                .chars()
                .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
                .collect();
            let path = folder.join(file + ".toml");
            std::fs::write(&path, scenario(view, &moment, class, 60)).unwrap();
            line += &format!("\n    {}", path.display());
        }
        reported.push(line);
    }

    pub(crate) fn judged(&mut self, watch: &Watch) {
        self.judged[0] += watch.judged[0];
        self.judged[1] += watch.judged[1];
    }

    pub(crate) fn join(&mut self, others: Self) {
        for (class, (count, reported)) in others.sorts {
            let known = self.sorts.entry(class).or_default();
            known.0 += count;
            known.1.extend(reported);
            known.1.truncate(REPORTED);
        }
        self.judged[0] += others.judged[0];
        self.judged[1] += others.judged[1];
    }

    /// Reports all and fails, unless there is nobody.
    pub(crate) fn report(&self) {
        let [slow, rests] = self.judged;
        let mut text = String::new();
        for (class, (count, reported)) in &self.sorts {
            text += &format!("\n{class}: {count} unit-seconds\n  {}", reported.join("\n  "));
        }
        let all: usize = self.sorts.values().map(|(count, _)| count).sum();
        let sum = format!("{all} found; {slow} slow seconds and {rests} rests were judged");
        eprintln!("{sum}");
        assert!(self.sorts.is_empty(), "{text}\n{sum}");
    }
}
