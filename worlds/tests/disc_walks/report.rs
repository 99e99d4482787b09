//! Faults as a table, in sentences, and as scenario files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use marchland_controller::Body;
use marchland_terrain::glam::Vec3;

use crate::stage::{Block, Stage};
use crate::verdict::{Fault, FaultKind};
use crate::walk::{WalkTrace, bodies};

/// Walks and faults of one shape, one body and one rate.
#[derive(Default)]
struct Row {
    walks: usize,
    faulty: usize,
    by_kind: BTreeMap<FaultKind, (usize, f64, f64)>,
    reported: Vec<String>,
}

/// Everything that was walked.
#[derive(Default)]
pub(crate) struct Table {
    rows: BTreeMap<(String, &'static str, u32), Row>,
    pub(crate) walks: usize,
    pub(crate) faulty: usize,
}

impl Table {
    pub(crate) fn put(
        &mut self,
        scene: (&str, &str, &Stage),
        walked: &WalkTrace,
        rate: u32,
        faults: &[Fault],
    ) {
        let (shape, form, stage) = scene;
        let body = bodies()[walked.start.body].0;
        let row = self.rows.entry((shape.to_owned(), body, rate)).or_default();
        row.walks += 1;
        self.walks += 1;
        if faults.is_empty() {
            return;
        }
        row.faulty += 1;
        self.faulty += 1;
        for fault in faults {
            let kind = row.by_kind.entry(fault.what).or_default();
            kind.0 += 1;
            if is_worse((fault.amount, fault.may), (kind.1, kind.2)) {
                (kind.1, kind.2) = (fault.amount, fault.may);
            }
        }
        if row.reported.len() < 2 {
            let name = format!("{shape}, {form}, {body}, {rate} Hz, {}", row.faulty);
            let path = written(&name, stage, walked, rate);
            let worst: Vec<String> = faults.iter().map(Fault::text).collect();
            let worst = worst.join("; ");
            let start = walked.start;
            row.reported.push(format!(
                "{form}: from {:?}, request {:?}, {:?}: {worst}\n      {}",
                walked.places[0].to_array(),
                start.request.to_array(),
                start.bound,
                path.display()
            ));
        }
    }

    pub(crate) fn join(&mut self, others: Self) {
        for (key, row) in others.rows {
            let known = self.rows.entry(key).or_default();
            known.walks += row.walks;
            known.faulty += row.faulty;
            for (what, (count, amount, may)) in row.by_kind {
                let kind = known.by_kind.entry(what).or_default();
                kind.0 += count;
                if is_worse((amount, may), (kind.1, kind.2)) {
                    (kind.1, kind.2) = (amount, may);
                }
            }
            known.reported.extend(row.reported);
            known.reported.truncate(2);
        }
        self.walks += others.walks;
        self.faulty += others.faulty;
    }

    /// The rows with faults.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let faulty = |row: &&Row| row.faulty > 0;
        for ((shape, body, rate), row) in self.rows.iter().filter(|(_, row)| faulty(row)) {
            let _ = writeln!(text, "{shape}, {body}, {rate} Hz: {} of {}", row.faulty, row.walks);
            for (what, (count, amount, may)) in &row.by_kind {
                let _ = writeln!(text, "    {what:?}: {count}, at most {amount:.4}, may {may:.4}");
            }
            for line in &row.reported {
                let _ = writeln!(text, "    {line}");
            }
        }
        let _ = writeln!(text, "{} of {} walks are faulty", self.faulty, self.walks);
        text
    }

    /// A line for each shape and body, over all rates.
    pub(crate) fn summary(&self) -> String {
        let mut sums: BTreeMap<(&str, &str), String> = BTreeMap::new();
        for ((shape, body, rate), row) in &self.rows {
            let line = sums.entry((shape, body)).or_default();
            let _ = write!(line, "  {rate} Hz {}/{}", row.faulty, row.walks);
        }
        let lines = sums.iter().map(|((shape, body), line)| format!("{shape:<20}{body:<10}{line}"));
        let lines: Vec<String> = lines.collect();
        format!("faulty walks of all, by rate\n{}", lines.join("\n"))
    }
}

/// Whether an amount exceeds what it may be by more; what is no number is the worst.
fn is_worse((amount, may): (f64, f64), (known, known_may): (f64, f64)) -> bool {
    let parts = (amount / may, known / known_may);
    parts.0.is_nan() || known_may == 0.0 || parts.0 > parts.1
}

impl Fault {
    fn text(&self) -> String {
        let Self { what, tick, amount, may } = self;
        format!("{what:?} {amount:.4}, may {may:.4}, in tick {tick}")
    }
}

/// Writes a walk as a scenario file that expects the unit where the disc ends.
fn written(name: &str, stage: &Stage, walked: &WalkTrace, rate: u32) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("disc_walks");
    std::fs::create_dir_all(&folder).unwrap();
    let file: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    let path = folder.join(file + ".toml");
    let ticks = walked.places.len() - 1;
    let mut text = format!(
        "version = 1\nname = {name:?}\ntick_rate = {rate}\nticks = {ticks}\nsector_size = {:?}\n\n\
         [terrain]\nflat = 0.0\n",
        stage.build.sector
    );
    for (index, block) in stage.blocks.iter().enumerate() {
        put_block(&mut text, stage, index, block);
    }
    put_body(&mut text, &bodies()[walked.start.body].1);
    let [x, z] = walked.places[0].to_array();
    let end = walked.disc.at(ticks as f64 * walked.dt);
    let tolerance = 0.03 + 0.02 * walked.disc.length() + walked.start.request.length() * walked.dt;
    let _ = writeln!(
        text,
        "\n[[units]]\nname = \"it\"\nbody = \"it\"\nposition = [{x:?}, 0.0, {z:?}]\n\
         controls = [{{ tick = 0, move = {:?} }}]\n\n[[expect]]\nunit = \"it\"\n\
         position = [{:?}, \"any\", {:?}]\ntolerance = {tolerance:?}",
        walked.start.request.to_array(),
        end.x,
        end.y
    );
    std::fs::write(&path, text).unwrap();
    path
}

fn put_block(text: &mut String, stage: &Stage, index: usize, block: &Block) {
    let mesh = block.mesh(stage.build.parts);
    let vertices: Vec<_> = mesh.vertices.iter().map(Vec3::to_array).collect();
    let at = block.at + stage.build.middle();
    let collision = if stage.build.is_soup { "soup" } else { "solid" };
    let _ = writeln!(
        text,
        "\n[meshes.m{index}]\nvertices = {vertices:?}\ntriangles = {:?}\n\n[[props]]\n\
         mesh = \"m{index}\"\nposition = [{:?}, 0.0, {:?}]\nrotation = [0.0, {:?}, 0.0]\n\
         collision = {collision:?}",
        mesh.triangles, at.x, at.y, block.yaw
    );
}

fn put_body(text: &mut String, body: &Body) {
    let _ = writeln!(
        text,
        "\n[bodies.it]\nradius = {:?}\nheight = {:?}\nknee = {:?}\nstep_up = {:?}\nstep_down = {:?}",
        body.radius(),
        body.height(),
        body.knee(),
        body.step_up(),
        body.step_down()
    );
}
