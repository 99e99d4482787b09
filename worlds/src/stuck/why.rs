//! The two judgements: who is slow beside the reference, and who is trapped where its body has a way.

use marchland_controller::{Batch, Body, Spawn, TickSettings, UnitId, Units, Wish};
use marchland_reference::piece::Piece;
use marchland_reference::walker::{Walker, WalkerBody};
use marchland_reference::{least, most};
use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::{TerrainView, WorldPos};

use super::near;
use super::second::{SECOND, Second};

/// Why a unit is stuck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// It hardly moves in a second of its request.
    Slow {
        /// How far it went. Metres.
        moved: f64,
        /// How far the reference goes, at least. Metres.
        could: f64,
    },
    /// It rests, and no request moves it.
    Trapped {
        /// How far the best request moves it in half a second. Metres.
        moved: f64,
        /// Where its body has a way. A unit vector, x and z.
        way: [f64; 2],
    },
}

/// Slowest request that is judged. Metres a second.
const REQUEST: f64 = 0.5;
/// A unit is slow if it goes less than this part of what it could.
const PART: f64 = 0.1;
/// And if that is more than this. Metres.
const COULD: f64 = 0.1;
/// Who goes less in a second rests. Metres.
pub const RESTS: f64 = 0.01;
/// A straight way that a body has. Metres.
const WAY: f64 = 0.05;
/// What a request must move it, and in how many seconds. Metres.
const MOVES: (f64, f64) = (0.02, 0.5);
/// Directions that are tried.
const DIRECTIONS: u32 = 16;
/// Speed of the requests that are tried. Metres a second.
const TRIED: f64 = 2.0;
/// Nothing that moves is so near. Metres.
const MOVERS: f64 = 4.0;
/// What leaves the reference so much more room must not stop a unit either. Metres.
const ROOM: f64 = 0.01;
/// How much of what is steep is no wall to the reference, so that the edge of what it stands on is none; and how little
/// is none to a unit. Metres.
const TRIFLE: f64 = 0.02;
const HAIR: f64 = 2e-4;
/// What a walker looks at is no farther from its body and its way. Metres.
const AROUND: f64 = 0.6;

/// The body of the reference.
#[must_use]
pub fn walks(body: &Body) -> WalkerBody {
    WalkerBody {
        radius: f64::from(body.radius()),
        height: f64::from(body.height()),
        knee: f64::from(body.knee()),
        step_down: f64::from(body.step_down()),
        max_slope_cos: body.max_slope_cos(),
        trifle: TRIFLE,
        slide_control: f64::from(body.slide_control()),
    }
}

/// What a body may meet within a way of so many metres.
#[must_use]
pub fn pieces(
    view: TerrainView<'_>,
    from: WorldPos,
    (body, mask): (&Body, u32),
    way: f64,
) -> Option<Vec<Piece>> {
    near::pieces(view, from, f64::from(body.radius()) + way + AROUND, mask)
}

/// Whether a unit that went no farther in a second may be slow.
#[must_use]
pub fn is_suspect(second: &Second) -> bool {
    let speed = request(second).length();
    speed >= REQUEST && second.farthest < PART * speed * SECOND
}

/// Why a unit is stuck that went no farther in a second, if it is slow. Nothing moves near it.
#[must_use]
pub fn slow(view: TerrainView<'_>, (body, mask): (&Body, u32), second: &Second) -> Option<Cause> {
    let (from, request) = (second.from, request(second));
    let pieces = pieces(view, from, (body, mask), request.length() * SECOND)?;
    let enough = most(COULD, second.farthest / PART) + 1e-3;
    let could = goes(&pieces, body, from, request, enough);
    (could > enough).then_some(Cause::Slow { moved: second.farthest, could })
}

/// Why a unit at rest is stuck, if it is trapped: copies of it are asked in 16 directions.
#[must_use]
pub fn trapped(
    view: TerrainView<'_>,
    units: &Units,
    unit: UnitId,
    settings: &TickSettings,
) -> Option<Cause> {
    let (body, from, mask) = (units.body(unit)?, units.position(unit)?, units.mask(unit)?);
    if has_mover(view, from, body) {
        return None;
    }
    let pieces = pieces(view, from, (body, mask), WAY)?;
    let start = (DVec2::ZERO, f64::from(from.local().y));
    let walker = Walker::new(&pieces, walks(body), start, 0.0);
    let way = directions().find(|&heading| walker.has_way(heading, WAY))?;
    let moved = moved_by_any(view, units, unit, settings)?;
    (moved < MOVES.0).then_some(Cause::Trapped { moved, way: way.to_array() })
}

fn request(second: &Second) -> DVec2 {
    let [x, z] = second.request.map(f64::from);
    DVec2::new(x, z)
}

/// Whether something moves so near a place that nobody is judged there.
#[must_use]
pub fn has_mover(view: TerrainView<'_>, from: WorldPos, body: &Body) -> bool {
    near::has_mover(view, from, MOVERS + f64::from(body.radius()))
}

/// How far the reference goes, with and without a little less room, and along the foot of what it walks into. Metres.
fn goes(pieces: &[Piece], body: &Body, from: WorldPos, request: DVec2, enough: f64) -> f64 {
    let feet = f64::from(from.local().y);
    let walk = |room: f64, trifle: f64| {
        let walks = WalkerBody { trifle, ..walks(body) };
        let mut walker = Walker::new(pieces, walks, (DVec2::ZERO, feet), room);
        (walker.walk(request, SECOND, enough), walker.place().0.length())
    };
    let (mut could, _) = walk(0.0, TRIFLE);
    if could > enough {
        could = least(could, walk(ROOM, TRIFLE).0);
    }
    if could > enough {
        // Into a wall head-on: its lowest part decides which way along it leads, and how fast.
        let (along, went) = walk(0.0, HAIR);
        could = if went > RESTS { least(could, along) } else { could };
    }
    could
}

/// The directions that are tried: unit vectors, x and z.
fn directions() -> impl Iterator<Item = DVec2> {
    (0..DIRECTIONS).map(|at| {
        let turn = std::f64::consts::TAU * f64::from(at) / f64::from(DIRECTIONS);
        let (sin, cos) = libm::sincos(turn);
        DVec2::new(cos, sin)
    })
}

/// How far the best of all requests moves a copy of a unit. Metres.
fn moved_by_any(
    view: TerrainView<'_>,
    units: &Units,
    unit: UnitId,
    settings: &TickSettings,
) -> Option<f64> {
    let mut copies = Units::new(units.sector_size());
    let body = copies.add_body(*units.body(unit)?).ok()?;
    let position = units.position(unit)?;
    let (motion, mask) = (units.motion(unit)?, units.mask(unit)?);
    let mut wishes = Vec::new();
    let mut ids = Vec::new();
    for heading in directions() {
        let spawn = Spawn { position, velocity: Vec3::ZERO, motion, body, mask };
        ids.push(copies.spawn(spawn).ok()?);
        let request = heading * TRIED;
        wishes.push(Wish::walk(request.x as f32, request.y as f32));
    }
    let mut batch = Batch::new();
    let mut farthest = 0.0;
    for _ in 0..(MOVES.1 / f64::from(settings.dt)).ceil() as u32 {
        batch.tick(view, &mut copies, &wishes, settings).ok()?;
        for id in &ids {
            let moved = copies.position(*id)?.relative_to(position, units.sector_size());
            farthest = most(farthest, f64::from(moved.length()));
        }
    }
    Some(farthest)
}

#[cfg(test)]
mod tests {
    use marchland_reference::piece::Kind;
    use marchland_terrain::SectorSize;
    use marchland_terrain::glam::DVec3;

    use super::*;

    /// How far the reference goes past a plate that stands before it, up to a height above its feet, where it wants to go
    /// along it as well, by so much in a second. Metres.
    fn goes_at_plate(height: f64, aside: f64) -> f64 {
        let triangles = |[a, b, c, d]: [DVec3; 4], kind: Kind| {
            [Piece::new([a, b, c], kind), Piece::new([a, c, d], kind)]
        };
        let at = DVec3::new;
        let [low, far] = [0.41, 9.0];
        let ground =
            [at(-far, 0.0, -far), at(-far, 0.0, far), at(far, 0.0, far), at(far, 0.0, -far)];
        let front =
            [at(low, -1.0, -far), at(low, -1.0, far), at(low, height, far), at(low, height, -far)];
        let pieces = [triangles(ground, Kind::Ground), triangles(front, Kind::Prop)].concat();
        let size = SectorSize::new(256.0).unwrap();
        let from = WorldPos::from_metres(0.0, 0.0, 0.0, size).unwrap();
        let request = DVec2::new(5.0, aside);
        goes(&pieces, &Body::default(), from, request, 0.5)
    }

    /// What is lower than the reference looks bars a unit, which slips along it: slowly, if it is met head-on.
    #[test]
    fn who_walks_into_something_low_head_on_may_slip_along_it() {
        assert!(goes_at_plate(-0.5, 0.03) > 0.5, "there is nothing");
        assert!(goes_at_plate(1.0, 0.03) < 0.05, "it is a wall");
        assert!(goes_at_plate(0.015, 0.03) < 0.05, "it is a wall to a unit");
        // Who does not even slip is in a corner, of which low edges of what can be stood on may be a part.
        assert!(goes_at_plate(0.015, 0.0) > 0.5);
    }
}
