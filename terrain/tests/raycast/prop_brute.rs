//! All triangles of all props, asked one by one in `f64`: plane, then places in it.

use marchland_terrain::glam::DVec3;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::{PropHit, RayHit, Raycast};

use crate::prop_scene::{Placed, PropScene};

/// Within this a ray may pass either side of an edge. In parts of the triangle.
const EDGE: f64 = 1e-7;

/// How near two distances must be. Metres.
const NEAR: f64 = 1e-5;

/// A triangle in the way.
struct Touch {
    prop: PropHit,
    t: f64,
    /// How exactly `t` is known, beyond the usual.
    blur: f64,
    /// A ray that passes here without a hit, passes through the triangle.
    certain: bool,
    normal: DVec3,
}

fn touch(placed: &Placed, from: DVec3, towards: DVec3) -> Option<Touch> {
    let [a, b, c] = placed.corners;
    let area = (b - a).cross(c - a);
    let size = area.length();
    if size < 1e-12 {
        return None;
    }
    let normal = area / size;
    let closing = normal.dot(towards);
    // Nearly in its plane: met anywhere along it, or nowhere.
    if closing.abs() < 1e-7 {
        let apart = normal.dot(a - from).abs();
        let blur = f64::INFINITY;
        let prop = placed.prop;
        return (apart < 1e-4).then_some(Touch { prop, t: 0.0, blur, certain: false, normal });
    }
    let t = normal.dot(a - from) / closing;
    let point = from + towards * t - a;
    let second = point.cross(c - a).dot(area) / (size * size);
    let third = (b - a).cross(point).dot(area) / (size * size);
    // A sliver's places are known by its height, not by its length.
    let longest = [b - a, c - b, a - c].into_iter().map(DVec3::length).fold(0.0, greater);
    let edge = EDGE * (1.0 + longest * longest / size) / closing.abs();
    let margin = lesser(lesser(second, third), 1.0 - second - third);
    let blur = 1e-9 * (1.0 + longest * longest / size) / closing.abs();
    let within = margin > -edge && t > -NEAR;
    within.then_some(Touch {
        prop: placed.prop,
        t,
        blur,
        certain: margin > edge && t > NEAR,
        normal,
    })
}

/// Whether an answer about ground and props is right, given what the answer is without props.
pub(crate) fn judge(
    scene: &PropScene,
    from: DVec3,
    towards: DVec3,
    max: f64,
    mask: u32,
    ground: Raycast,
    answer: Raycast,
) -> Result<(), String> {
    let towards = towards.normalize();
    let touches: Vec<_> = scene
        .triangles
        .iter()
        .filter(|placed| placed.layers & mask != 0)
        .filter_map(|placed| touch(placed, from, towards))
        .collect();
    let ground_at = match ground {
        Raycast::Hit(hit) => f64::from(hit.distance),
        Raycast::Unknown { from } => f64::from(from),
        Raycast::Miss => f64::INFINITY,
    };
    let reach = lesser(ground_at, max);
    let first = touches
        .iter()
        .filter(|touch| touch.certain && touch.t < reach - NEAR - touch.blur)
        .map(|touch| touch.t + touch.blur)
        .fold(f64::INFINITY, lesser);
    let hit = match answer {
        Raycast::Hit(RayHit { prop: Some(_), .. }) => answer,
        _ if answer != ground => return Err(format!("{answer:?}, but the ground is {ground:?}")),
        _ if first < f64::INFINITY => return Err(format!("a prop is missed at {first}")),
        _ => return Ok(()),
    };
    let Raycast::Hit(hit) = hit else { return Ok(()) };
    let t = f64::from(hit.distance);
    if t > reach + NEAR || t > first + NEAR {
        return Err(format!("hits at {t}, but before at {first} or ends at {reach}"));
    }
    let place = scene.metres(hit.position);
    let off = (place - (from + towards * t)).length();
    if off > 1e-4 {
        return Err(format!("{off} m off the ray"));
    }
    let Some(touch) = touches.iter().find(|touch| Some(touch.prop) == hit.prop) else {
        return Err(format!("{:?} is not in the way", hit.prop));
    };
    if (touch.t - t).abs() > NEAR + touch.blur {
        return Err(format!("hits at {t}, but {:?} is at {}", hit.prop, touch.t));
    }
    let normal = hit.normal.as_dvec3();
    if (normal - touch.normal).length() > 1e-6 {
        return Err(format!("normal is {normal}, expected {}", touch.normal));
    }
    let facing = touch.normal.dot(towards);
    if facing.abs() > 1e-9 && hit.from_below != (facing > 0.0) {
        return Err(format!("from below is {}, but facing is {facing}", hit.from_below));
    }
    Ok(())
}
