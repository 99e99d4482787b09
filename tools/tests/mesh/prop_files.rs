//! What a file of props means.

use marchland_terrain::bake::props::{Amount, PropHeight, Scatter};
use marchland_terrain::math::Rotation;
use marchland_terrain::{Collision, SurfaceId};
use marchland_tools::import::props::{PropFile, load};

use crate::fixtures::*;

fn surfaces() -> Vec<String> {
    ["grass", "rock", "ground"].map(str::to_owned).to_vec()
}

fn read(toml: &str) -> PropFile {
    let folder = Folder::new();
    folder.file("a.glb", &pyramid().glb());
    folder.file("b.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let path = folder.file("props.toml", toml.as_bytes());
    load(&path, &surfaces()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_prop_with_nothing_but_a_place_has_sensible_defaults() {
    let file = read("[[prop]]\nmesh = \"a.glb\"\nposition = [1.5, 2, -3e5]\n");
    let prop = &file.input.props[0];
    assert_eq!((prop.position, prop.height), ([1.5, -3e5], PropHeight::At(2.0)));
    assert_eq!((prop.rotation, prop.scale), (Rotation::IDENTITY, 1.0));
    assert_eq!((prop.kind.surface, prop.kind.layers), (SurfaceId(2), u32::MAX));
    let closed = file.meshes[0].closed;
    let expected = if closed { Collision::Solid } else { Collision::Soup };
    assert_eq!(prop.kind.collision, expected);
    assert!(prop.name.ends_with("props.toml, line 1"), "{}", prop.name);
}

#[test]
fn every_key_of_a_prop_says_what_it_says_in_scenarios() {
    let file = read(
        "version = 1\n\n[[prop]]\nmesh = \"b.obj\"\nposition = [ # where\n  1_000, \"ground\",\n  0x10]\n\
         above = -0.5\nrotation = [10, 20.5, -30]\nscale = 2\nsurface = \"rock\"\nlayers = 0x0000_0005\n\
         collision = \"auto\"\n",
    );
    let prop = &file.input.props[0];
    assert_eq!((prop.position, prop.height), ([1000.0, 16.0], PropHeight::AboveGround(-0.5)));
    assert_eq!(prop.rotation, Rotation::from_degrees([10.0, 20.5, -30.0]));
    assert_eq!((prop.scale, prop.kind.surface, prop.kind.layers), (2.0, SurfaceId(1), 5));
    assert_eq!(prop.kind.collision, Collision::Soup, "a single triangle is not closed");
    assert!(prop.name.ends_with("line 3"), "{}", prop.name);
}

#[test]
fn a_scatter_with_one_mesh_is_one_rule() {
    let file = read(
        "[[scatter]]\nmesh = \"a.glb\"\nseed = 7\ncount = 100\nslope = [0, 45]\nheight = [-5, 400.5]\n\
         on = [\"grass\", \"rock\"]\narea = [[-1, -2], [3, 4]]\nscale = [0.5, 2]\nsink = 0.1\nlayers = 3\n",
    );
    let rule = &file.input.scatters[0];
    assert_eq!((rule.seed, rule.amount), (7, Amount::Count(100)));
    assert_eq!(rule.slope[0], 0.0);
    assert!((rule.slope[1] - 1.0).abs() < 1e-12, "45 degrees rise as far as they run");
    assert_eq!((rule.height, rule.sink), ([-5.0, 400.5], 0.1));
    assert_eq!(rule.on, [SurfaceId(0), SurfaceId(1)]);
    assert_eq!(rule.area, Some([[-1.0, -2.0], [3.0, 4.0]]));
    assert_eq!((rule.scale, rule.random_yaw, rule.kind.layers), ([0.5, 2.0], true, 3));
}

#[test]
fn a_scatter_with_nothing_but_an_amount_goes_everywhere() {
    let file = read("[[scatter]]\nmesh = \"a.glb\"\ndensity = 12.5\nslope = [10, 90]\n");
    let rule = &file.input.scatters[0];
    assert_eq!(rule.amount, Amount::PerHectare(12.5));
    assert!(rule.slope[1] > 1e300, "90 degrees is any slope");
    assert_eq!((rule.height, rule.area), ([f64::NEG_INFINITY, f64::INFINITY], None));
    assert_eq!((rule.scale, rule.random_yaw, rule.sink), ([1.0, 1.0], true, 0.0));
    assert!(rule.on.is_empty());
}

#[test]
fn several_meshes_share_the_amount_and_have_seeds_of_their_own() {
    let rules = |amount: &str| {
        let toml =
            format!("[[scatter]]\nmeshes = [\"a.glb\", \"b.obj\", \"a.glb\"]\nseed = 9\n{amount}");
        read(&toml).input.scatters
    };
    let counted = rules("count = 8");
    let amounts: Vec<_> = counted.iter().map(|rule| rule.amount).collect();
    assert_eq!(amounts, [3, 3, 2].map(Amount::Count), "none is lost");
    assert_eq!(counted.iter().map(|rule| rule.kind.mesh).collect::<Vec<_>>(), [0, 1, 0]);
    let mut seeds: Vec<_> = counted.iter().map(|rule| rule.seed).collect();
    assert_eq!(seeds[0], 9);
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 3, "equal meshes with equal seeds would stand in each other");
    assert!(rules("density = 3").iter().all(|rule| rule.amount == Amount::PerHectare(1.0)));
    assert_eq!(rules("count = 2").len(), 2, "a rule for none is no rule");
    // Their names tell the folder, which is another each time.
    let unnamed = |rules: Vec<Scatter>| -> Vec<_> {
        rules.into_iter().map(|rule| Scatter { name: String::new(), ..rule }).collect()
    };
    assert_eq!(unnamed(rules("count = 8")), unnamed(counted), "the same every time");
}

#[test]
fn rules_without_a_seed_have_different_ones() {
    let rule = "[[scatter]]\nmesh = \"a.glb\"\ncount = 5\n";
    let scatters = read(&rule.repeat(3)).input.scatters;
    assert!(scatters[0].seed != scatters[1].seed && scatters[1].seed != scatters[2].seed);
}

#[test]
fn a_fixed_yaw_turns_the_mesh_itself() {
    let rule = |yaw: &str| {
        read(&format!("[[scatter]]\nmesh = \"a.glb\"\ncount = 5\nyaw = {yaw}\nscale = 3\n"))
    };
    let file = rule("90");
    assert!(!file.input.scatters[0].random_yaw);
    assert_eq!(file.input.scatters[0].scale, [3.0, 3.0]);
    assert_eq!(file.meshes[0].name, "a.glb turned by 90°");
    // X turns to −Z, and −Z to −X.
    let bounds = file.input.meshes[0].bounds();
    assert!((bounds.min.z + 3.0).abs() < 1e-5 && (bounds.min.x + 2.0).abs() < 1e-5, "{bounds:?}");
    for none in ["0", "360", "-0.0", "\"random\""] {
        assert_eq!(rule(none).meshes[0].name, "a.glb", "{none}");
    }
    assert!(rule("\"random\"").input.scatters[0].random_yaw);
}

#[test]
fn an_empty_file_places_nothing_and_says_so() {
    for toml in ["", "# nothing\n", "version = 1\n"] {
        let file = read(toml);
        assert!(file.input.props.is_empty() && file.input.meshes.is_empty());
        assert!(file.warnings[0].contains("nothing is placed"), "{:?}", file.warnings);
        assert_eq!(file.files.len(), 1);
    }
}

#[test]
fn surfaces_without_a_ground_begin_with_the_first() {
    let folder = Folder::new();
    folder.file("a.glb", &pyramid().glb());
    let toml = "[[prop]]\nmesh = \"a.glb\"\nposition = [0, 0, 0]\n";
    let path = folder.file("props.toml", toml.as_bytes());
    for names in [vec![], vec!["moss".to_owned()]] {
        assert_eq!(load(&path, &names).unwrap().input.props[0].kind.surface, SurfaceId(0));
    }
}
