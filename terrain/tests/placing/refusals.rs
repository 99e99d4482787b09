//! Props, rules and sectors that cannot be placed are refused by name.

use marchland_terrain::SectorCoord;
use marchland_terrain::bake::PROP_SECTORS_MAX;
use marchland_terrain::bake::props::{Amount, PropHeight, PropSource, Scatter};

use crate::{Ground, broken, input, mesh, prop, rule};

#[test]
fn a_prop_without_a_place_is_refused_by_name() {
    let ground = broken();
    let refuse = |one: PropSource, says: &[&str]| {
        let said = ground.place(&input(vec![one], Vec::new())).unwrap_err().to_string();
        assert!(says.iter().all(|part| said.contains(part)), "{said}");
    };
    let on_ground = PropHeight::AboveGround(0.0);
    refuse(prop(1.0, 1.0, on_ground), &["prop at 1, 1", "no ground", "a hole"]);
    refuse(prop(30.0, 1.0, on_ground), &["prop at 30, 1", "no ground", "outside the world"]);
    refuse(prop(500.0, 1.0, PropHeight::At(0.0)), &["prop at 500, 1", "sector (16, 0)", "outside"]);
    // Rounding takes it to a border, which is the place of a sector that is not there.
    refuse(prop(80.0 - 1e-6, 1.0, PropHeight::At(0.0)), &["sector (3, 0), outside the world"]);
    refuse(prop(f64::NAN, 1.0, PropHeight::At(0.0)), &["prop at NaN, 1"]);
    refuse(prop(1e300, 1.0, PropHeight::At(0.0)), &["prop at 1000", "beyond"]);
    refuse(prop(5.0, 5.0, PropHeight::At(1e9)), &["prop at 5, 5", "1000000000 m"]);
    refuse(prop(5.0, 5.0, PropHeight::At(f64::NAN)), &["prop at 5, 5", "NaN m"]);
    refuse(prop(5.0, 5.0, PropHeight::AboveGround(1e9)), &["prop at 5, 5"]);
    // What the greatest height is, a sector holds too; the next is refused.
    let most = marchland_terrain::limits::PROP_HEIGHT_MAX;
    for height in [most, -most] {
        let highest = vec![prop(1.0, 1.0, PropHeight::At(height))];
        let placed = ground.place(&input(highest, Vec::new())).unwrap();
        assert_eq!(f64::from(placed.props()[0].position.y), height);
    }
    refuse(prop(5.0, 5.0, PropHeight::At(most.next_up())), &["prop at 5, 5", "134217728"]);
    // A height of one's own needs no ground.
    let over = vec![prop(1.0, 1.0, PropHeight::At(0.0)), prop(30.0, 1.0, PropHeight::At(0.0))];
    assert_eq!(ground.place(&input(over, Vec::new())).unwrap().props().len(), 2);
}

#[test]
fn props_that_reach_too_far_and_meshes_that_are_not_there_are_refused_by_name() {
    let ground = Ground::ramp(3, 3);
    let refuse = |change: &dyn Fn(&mut PropSource), says: &[&str]| {
        let mut one = prop(1.0, 1.0, PropHeight::At(0.0));
        change(&mut one);
        let said = ground.place(&input(vec![one], Vec::new())).unwrap_err().to_string();
        assert!(says.iter().all(|part| said.contains(part)), "{said}");
    };
    assert_eq!(PROP_SECTORS_MAX, 4096);
    refuse(&|one| one.scale = 0.0, &["prop at 1, 1", "scale is 0"]);
    refuse(&|one| one.scale = f32::NAN, &["prop at 1, 1", "scale is NaN"]);
    refuse(&|one| one.kind.mesh = 1, &["prop at 1, 1", "mesh number 1", "there are 1"]);
    let mut wide = input(vec![prop(1.0, 1.0, PropHeight::At(0.0))], Vec::new());
    wide.meshes = vec![mesh(2100.0, 1.0)];
    let said = ground.place(&wide).unwrap_err().to_string();
    assert!(said.contains("4489 sectors of 32 m") && said.contains("prop at 1, 1"), "{said}");
    wide.meshes = vec![mesh(2000.0, 1.0)];
    assert_eq!(ground.place(&wide).unwrap().sectors().len(), 9);
    wide.meshes = vec![mesh(1.0, 40_000.0)];
    wide.props[0].scale = 2.0;
    let said = ground.place(&wide).unwrap_err().to_string();
    assert!(said.contains("prop at 1, 1") && said.contains("reaches 80000"), "{said}");
}

#[test]
fn rules_that_make_no_sense_are_refused_by_name() {
    let ground = Ground::ramp(3, 3);
    let refuse = |change: &dyn Fn(&mut Scatter), says: &str| {
        let mut one = rule(Amount::Count(3));
        change(&mut one);
        let said = ground.place(&input(Vec::new(), vec![one])).unwrap_err().to_string();
        assert!(said.contains("the rule") && said.contains(says), "{said}");
    };
    refuse(&|rule| rule.slope = [0.5, 0.2], "slope from 0.5 to 0.2");
    refuse(&|rule| rule.height = [0.0, f64::NAN], "height from 0 to NaN");
    refuse(&|rule| rule.area = Some([[0.0, 5.0], [1.0, 4.0]]), "area along z from 5 to 4");
    refuse(&|rule| rule.scale = [2.0, 1.0], "scale from 2 to 1");
    refuse(&|rule| rule.scale = [0.0, 1.0], "scale is 0");
    refuse(&|rule| rule.scale = [1.0, 2000.0], "scale is 2000");
    refuse(&|rule| rule.sink = f64::INFINITY, "sink is inf");
    refuse(&|rule| rule.kind.mesh = 7, "mesh number 7");
    refuse(&|rule| rule.amount = Amount::Count(u64::MAX), "more than 16777216 props");
    refuse(&|rule| rule.amount = Amount::PerHectare(-1.0), "density is -1");
    refuse(&|rule| rule.amount = Amount::PerHectare(1e300), "more than 16777216 props");
    refuse(&|rule| rule.amount = Amount::PerHectare(f64::NAN), "density is NaN");
}

#[test]
fn a_sector_that_cannot_be_had_ends_it_by_name() {
    let ground = Ground::ramp(3, 3);
    let mut coords = ground.coords();
    coords.push(SectorCoord::new(9, 9));
    let rules = vec![rule(Amount::PerHectare(1.0))];
    let said = ground.place_from(&coords, &input(Vec::new(), rules)).unwrap_err().to_string();
    assert!(said.contains("sector (9, 9): no such sector"), "{said}");
}
