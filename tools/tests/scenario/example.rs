//! The example of the format's document, whole, with the files that it names.

use marchland_terrain::glam::Vec3;
use marchland_terrain::{Collision, Ground, SectorCoord, SurfaceId};
use marchland_tools::command::scenario::{Mode, Scenario, Stage, Terrain};

use crate::fixtures::*;

/// All of it but the ground, of which there is one form at a time.
const TOP: &str = r#"version = 1
name = "up the stairs"          # required
tick_rate = 60                  # Hz, dt = 1 / tick_rate; default 60
ticks = 300                     # required
gravity = 9.81                  # m/s^2, downwards; default 9.81
"#;
const SECTORS: &str = "sector_size = 256\n";
const SHIFT: &str = "origin_sector = [0, 0]\n";

const REST: &str = r#"
[surfaces.ice]                  # named surface responses; "ground" exists by default
friction = 0.0
sticky = false
climbable = false
bounce = 0.0
bounce_friction = 0.0
conveyor = [0.0, 0.0, 0.0]

[meshes.ramp]                   # a named triangle mesh: one of the three forms
vertices = [[0,0,0],[4,0,0],[4,2,3],[0,2,3]]
triangles = [[0,2,1],[0,3,2]]   # counter-clockwise seen from outside
[meshes.crate]
box = [1.0, 2.0, 1.0]         # full extents, centred at the origin
[meshes.rock]
file = "rock.glb"             # glTF binary, glTF or OBJ

[[props]]
mesh = "ramp"
position = [10.0, 0.0, 0.0]
rotation = [0.0, 90.0, 0.0]
scale = 1.0                     # uniform
surface = "ground"
layers = 4294967295
collision = "auto"
velocity = [0.0, 0.0, 0.0]
angular_velocity = [0.0, 0.0, 0.0]
[[props]]
mesh = "rock"
position = [30.0, 0.0, 0.0]
motion = [                      # instead of the two above
  { tick = 0, velocity = [0.0, 0.5, 0.0] },
  { tick = 60 },                # all zero: it stands
]

[bodies.soldier]                # an upright body; every key has a default
shape = "cylinder"
radius = 0.4
height = 1.8                    # full height, feet to top
knee = 0.45
step_up = 0.45
step_down = 0.45
climb = 0.0
max_slope = 45.0
slope_rule = "keep_horizontal_speed"
slide_control = 0.3
air_control = 0.0
leave_platform = "keep"
jump_speed = 5.0
slide_speed = 6.0
terminal_speed = 55.0
[bodies.crouched]
height = 1.0

[[units]]
name = "a"                      # required, unique
body = "soldier"                # default: a body with every default
position = [0.0, 0.0, 0.0]
velocity = [0.0, 0.0, 0.0]
controls = [
  { tick = 0, move = [5.0, 0.0] },      # requested horizontal velocity (x, z), m/s
  { tick = 90, move = [5.0, 0.0], jump = true },
  { tick = 120, impulse = [0.0, 4.0, -2.0] },  # added to the velocity, m/s
  { tick = 150, teleport = [0.0, 0.0, 0.0] },
  { tick = 160, body = "crouched" },
  { tick = 170, mask = 5 },
]

[[not_resident]]                # a sector that is missing for a while
sector = [0, 1]                 # before the shift by origin_sector
from = 30
to = 60

[[expect]]                      # any number; every key but unit is optional
unit = "a"
tick = 300
position = [12.5, "any", 0.0]   # a number, or "any"
tolerance = 0.02
mode = "walking"
min = [0.0, 0.0, -0.5]
max = [14.0, 3.0, 0.5]
speed = 5.0
"#;

const FLAT: &str = "[terrain]\nflat = 0.0\nsurface = \"ground\"\n";
const HEIGHTS: &str = "[terrain]\nheights = { columns = 3, rows = 2, spacing = 8.0, \
    origin = [0.0, 0.0], samples = [0,0,1, 0,0,1] }\nsurface = \"ground\"\n";
const PNG: &str = "[terrain]\npng = { file = \"hills.png\", spacing = 2.0, min_height = 0.0, \
    max_height = 120.0 }\nholes = [[3, 1]]\nsurface = \"ground\"\n";
const WORLD: &str = "[terrain]\nworld = \"demo.world\"\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.world("demo.world");
    folder.image("hills.png");
    folder.file("rock.glb", &rock());
    folder
}

/// A tetrahedron in a GLB.
fn rock() -> Vec<u8> {
    let floats = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut binary: Vec<u8> = floats.iter().flatten().flat_map(|f| f.to_le_bytes()).collect();
    for index in [0_u16, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3] {
        binary.extend(index.to_le_bytes());
    }
    let json = serde_json::json!({
        "asset": { "version": "2.0" },
        "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "buffers": [{ "byteLength": binary.len() }],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 24 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
              "min": [0, 0, 0], "max": [1, 1, 1] },
            { "bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR" },
        ],
    });
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF".to_vec();
    let total = 12 + 8 + text.len() + 8 + binary.len();
    glb.extend([2, total as u32, text.len() as u32].into_iter().flat_map(u32::to_le_bytes));
    glb.extend(b"JSON");
    glb.extend(text);
    glb.extend((binary.len() as u32).to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(binary);
    glb
}

fn example(folder: &Folder, sectors: &str, ground: &str) -> Scenario {
    let toml = format!("{TOP}{sectors}{SHIFT}\n{ground}{REST}");
    folder.load(&toml).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_example_is_read_with_every_form_of_ground() {
    let folder = folder();
    for (sectors, ground) in [(SECTORS, FLAT), (SECTORS, HEIGHTS), (SECTORS, PNG), ("", WORLD)] {
        let scenario = example(&folder, sectors, ground);
        Stage::new(&scenario).unwrap();
        assert_eq!(scenario.name, "up the stairs");
        assert_eq!((scenario.props.len(), scenario.units.len()), (2, 1));
        assert_eq!(scenario.bodies.len(), 3);
        assert_eq!(
            scenario.meshes.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(),
            ["ramp", "crate", "rock"]
        );
        let world = matches!(scenario.terrain, Terrain::World { .. });
        assert_eq!(world, ground == WORLD);
    }
}

#[test]
fn the_example_means_what_it_says() {
    let scenario = example(&folder(), SECTORS, HEIGHTS);
    let ramp = &scenario.props[0];
    assert_eq!((ramp.collision, ramp.surface), (Collision::Soup, SurfaceId(0)));
    assert_eq!(scenario.props[1].collision, Collision::Solid, "the rock is closed");
    assert_eq!(scenario.motion_at(1, 59), [Vec3::new(0.0, 0.5, 0.0), Vec3::ZERO]);
    assert_eq!(scenario.motion_at(1, 60), [Vec3::ZERO; 2]);
    assert_eq!(scenario.surfaces[1].response.friction, 0.0);
    let told = [89, 90, 120, 150, 160, 299].map(|tick| scenario.controls_at(0, tick));
    assert!(told.iter().all(|told| told.walk == [5.0, 0.0]));
    assert_eq!(told.map(|told| told.jump), [false, true, false, false, false, false]);
    assert_eq!(told[2].impulse, Some(Vec3::new(0.0, 4.0, -2.0)));
    assert_eq!(told[3].teleport, Some(place(&scenario, 0.0, 0.0, 0.0)));
    assert_eq!(
        told.map(|told| scenario.bodies[told.body].values.height),
        [1.8, 1.8, 1.8, 1.8, 1.0, 1.0]
    );
    assert_eq!((told[4].mask, told[5].mask), (u32::MAX, 5));
    assert_eq!(scenario.missing_at(30), [SectorCoord::new(0, 1)]);
    let expect = &scenario.expects[0];
    assert_eq!(expect.position, [Some(12.5), None, Some(0.0)]);
    assert_eq!((expect.tolerance, expect.mode), (0.02, Some(Mode::Walking)));
    assert_eq!((expect.min[2], expect.max[1]), (Some(-0.5), Some(3.0)));
    assert_eq!((expect.speed, expect.speed_tolerance), (Some(5.0), 0.05));
    // Half a metre up the slope between the second and the third column.
    let stage = Stage::new(&scenario).unwrap();
    assert_eq!(ground(&scenario, stage.view(), 12.0, 4.0), Ground::Height(0.5));
    assert!(scenario.at_rate(30.0).is_ok() && scenario.at_rate(240.0).is_ok());
}

#[test]
fn a_text_is_read_as_the_file_that_it_would_be() {
    let folder = folder();
    let path = folder.path().join("not_there.toml");
    let text = format!("{TOP}{SECTORS}{SHIFT}{PNG}{REST}");
    let scenario = Scenario::from_text(&path, &text).unwrap();
    assert_eq!((scenario.path, scenario.ticks_line), (path, 4));
}

#[test]
fn no_cut_and_no_changed_byte_makes_reading_panic_or_blames_the_disk() {
    let folder = folder();
    let path = folder.path().join("run.toml");
    let text = format!("{TOP}{SECTORS}{SHIFT}{HEIGHTS}{REST}");
    let look = |text: &str| match Scenario::from_text(&path, text) {
        Ok(scenario) => drop(scenario.at_rate(240.0)),
        Err(error) => assert!(!error.is_io() && !error.to_string().is_empty(), "{error}"),
    };
    for end in (0..text.len()).step_by(7) {
        look(&text[..end]);
    }
    for (at, other) in (0..text.len()).step_by(5).zip("9-[{.\"=ex \n0".chars().cycle()) {
        let mut changed = text.clone();
        changed.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
        look(&changed);
    }
}
