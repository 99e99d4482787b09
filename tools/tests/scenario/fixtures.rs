//! Scenario files for the tests, and the files that they name.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use marchland_terrain::{Ground, SectorCoord, TerrainView, WorldPos, glam::Vec3};
use marchland_tools::command::scenario::{Scenario, ScenarioError, Stage};

/// The least that a scenario must say.
pub(crate) const LEAST: &str = "version = 1\nname = \"n\"\nticks = 100\n";

/// A folder that is removed when the test ends.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn load(&self, toml: &str) -> Result<Scenario, ScenarioError> {
        Scenario::load(&self.file("run.toml", toml.as_bytes()))
    }

    /// Three rows of five samples in gray of 16 bits, row by row: 0, 1000, 2000, …
    pub(crate) fn image(&self, name: &str) -> PathBuf {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 5, 3);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Sixteen);
        let codes: Vec<u8> = (0..15_u16).flat_map(|i| (i * 1000).to_be_bytes()).collect();
        encoder.write_header().unwrap().write_image_data(&codes).unwrap();
        self.file(name, &bytes)
    }

    /// A baked world of 2 × 2 sectors of 32 m with cells of 2 m, whose ground is at x + z / 2 metres
    /// from the low corner of sector (0, 0); its surfaces are grass and mud.
    pub(crate) fn world(&self, name: &str) {
        let height = |i: u32| (i % 33) as f32 * 2.0 + (i / 33) as f32;
        let floats: Vec<u8> = (0..33 * 33).flat_map(|i| height(i).to_le_bytes()).collect();
        self.file("slope.r32", &floats);
        let words = "bake slope.r32 --columns 33 --rows 33 --spacing 2 --sector-size 32 \
                     --surface-names grass,mud --out";
        let mut command = Command::new(env!("CARGO_BIN_EXE_marchland"));
        command.current_dir(self.path()).args(words.split_whitespace()).arg(name);
        let ran = command.stdin(Stdio::null()).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }
}

/// A scenario with these lines added to the least.
pub(crate) fn read(toml: &str) -> Scenario {
    Folder::new().load(&format!("{LEAST}{toml}")).unwrap_or_else(|e| panic!("{e}\n{toml}"))
}

/// The staged world of it.
pub(crate) fn staged(toml: &str) -> (Scenario, Stage) {
    let scenario = read(toml);
    let stage = Stage::new(&scenario).unwrap();
    (scenario, stage)
}

/// The ground at metres of the file.
pub(crate) fn ground(scenario: &Scenario, view: TerrainView<'_>, x: f64, z: f64) -> Ground {
    view.ground(place(scenario, x, 0.0, z))
}

/// A place in metres of the file.
pub(crate) fn place(scenario: &Scenario, x: f64, y: f64, z: f64) -> WorldPos {
    let (size, by) = (scenario.sector_size, scenario.origin_sector);
    let near = WorldPos::from_metres(x, y, z, size).unwrap();
    let sector = near.sector();
    let sector = SectorCoord::new(sector.x + by.x, sector.z + by.z);
    WorldPos::new(sector, near.local(), size).unwrap()
}

/// A place without a shift.
pub(crate) fn at(sector: [i32; 2], local: [f32; 3], scenario: &Scenario) -> WorldPos {
    let sector = SectorCoord::new(sector[0], sector[1]);
    WorldPos::new(sector, Vec3::from_array(local), scenario.sector_size).unwrap()
}
