//! An independent judge of units that do not get on although they could.
//!
//! A unit is *stuck* in two cases:
//!
//! - In a second of an unchanged request it goes less than a tenth of what a
//!   [reference](marchland_reference::walker) goes from the same place, and that is over 10 cm.
//! - It rests for a second; its body has a straight way of 5 cm, and none of 16 requests moves it by 2 cm.
//!
//! The reference reads heights at points and the meshes of props, and asks the libraries for nothing else. It
//! does less than a unit may. Units on or beside what moves are not judged, nor are those in the air.

mod near;

use marchland_controller::{Batch, Body, Mode, Spawn, TickSettings, UnitId, Units, Wish};
use marchland_reference::most;
use marchland_reference::piece::Piece;
use marchland_reference::walker::{Walker, Walks};
use marchland_terrain::glam::{DVec2, Vec3};
use marchland_terrain::{TerrainView, WorldPos};

/// Why a unit is stuck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
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

/// A stuck unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stuck {
    /// Which.
    pub unit: UnitId,
    /// Why.
    pub why: Why,
    /// Where it was a second ago.
    pub from: WorldPos,
}

/// Seconds that are judged.
const SECOND: f64 = 1.0;
/// Slowest request that is judged. Metres a second.
const REQUEST: f64 = 0.5;
/// A unit is slow if it goes less than this part of what it could.
const PART: f64 = 0.1;
/// And if that is more than this. Metres.
const COULD: f64 = 0.1;
/// Who goes less in a second rests. Metres.
const RESTS: f64 = 0.01;
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
/// Who changes its height by more in a second is in the air. Metres.
const RISES: f32 = 1.0;
/// What leaves the reference so much more room must not stop a unit either. Metres.
const ROOM: f64 = 0.01;

/// What is known of one unit.
#[derive(Clone, Copy, Debug)]
struct Watched {
    from: WorldPos,
    wish: [f32; 2],
    ticks: u32,
    farthest: f64,
    is_excused: bool,
    /// Where it rested when it was last tried.
    tried: Option<WorldPos>,
}

/// Watches all units of a batch, tick by tick.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    units: Vec<Option<Watched>>,
    /// How many seconds were judged, and how many rests.
    pub judged: [u64; 2],
}

impl Watch {
    /// Begins with nobody known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets a unit: it was put elsewhere, thrown or given another body.
    pub fn forget(&mut self, unit: UnitId) {
        if let Some(watched) = self.units.get_mut(unit.slot as usize) {
            *watched = None;
        }
    }

    /// To be called after each tick; tells who is stuck, each second anew.
    pub fn tick(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        settings: &TickSettings,
    ) -> Vec<Stuck> {
        self.units.resize(units.slots(), None);
        let mut stuck = Vec::new();
        for unit in units.iter() {
            let judged = self.watch(units, wishes[unit.slot as usize], unit, settings);
            if let Some(watched) = judged {
                stuck.extend(self.judge(view, units, unit, watched, settings));
            }
        }
        stuck
    }

    /// The last second of a unit, if one ends with this tick.
    fn watch(
        &mut self,
        units: &Units,
        wish: Wish,
        unit: UnitId,
        settings: &TickSettings,
    ) -> Option<Watched> {
        let (place, mode) = (units.position(unit)?, units.mode(unit)?);
        let known = self.units[unit.slot as usize];
        let begun = Watched {
            from: place,
            wish: wish.velocity(),
            ticks: 0,
            farthest: 0.0,
            is_excused: false,
            tried: known.and_then(|known| known.tried),
        };
        let Some(mut watched) = known.filter(|known| known.wish == wish.velocity()) else {
            self.units[unit.slot as usize] = Some(begun);
            return None;
        };
        watched.ticks += 1;
        let moved = place.relative_to(watched.from, units.sector_size());
        let level =
            f64::from(moved.x) * f64::from(moved.x) + f64::from(moved.z) * f64::from(moved.z);
        watched.farthest = most(watched.farthest, level.sqrt());
        watched.is_excused |= matches!(mode, Mode::Climbing | Mode::Held)
            || moved.y.abs() > RISES
            || wish.jumps()
            || units.velocity(unit)?.y.abs() > 6.0;
        let is_over = f64::from(watched.ticks) * f64::from(settings.dt) >= SECOND - 1e-6;
        self.units[unit.slot as usize] = Some(if is_over { begun } else { watched });
        (is_over && !watched.is_excused).then_some(watched)
    }

    fn judge(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        unit: UnitId,
        watched: Watched,
        settings: &TickSettings,
    ) -> Option<Stuck> {
        let request = DVec2::new(f64::from(watched.wish[0]), f64::from(watched.wish[1]));
        let body = units.body(unit)?;
        let (speed, from) = (request.length(), watched.from);
        let asks = speed >= REQUEST && watched.farthest < PART * speed * SECOND;
        let rests = watched.farthest < RESTS
            && watched.tried.is_none_or(|tried| {
                tried.relative_to(from, units.sector_size()).length() > RESTS as f32
            });
        let reach = f64::from(body.radius()) + speed * SECOND + 0.6;
        if !(asks || rests) || near::has_mover(view, from, MOVERS + f64::from(body.radius())) {
            return None;
        }
        let pieces = near::pieces(view, from, reach, units.mask(unit)?)?;
        let told = |why| Some(Stuck { unit, why, from });
        if asks {
            self.judged[0] += 1;
            let enough = most(COULD, watched.farthest / PART) + 1e-3;
            let could = goes(&pieces, body, from, request, enough);
            if could > enough {
                return told(Why::Slow { moved: watched.farthest, could });
            }
        }
        if rests {
            self.judged[1] += 1;
            self.units[unit.slot as usize].as_mut()?.tried = Some(from);
            let way = way_of(&pieces, body, from)?;
            let moved = moved_by_any(view, units, unit, settings)?;
            if moved < MOVES.0 {
                return told(Why::Trapped { moved, way: way.to_array() });
            }
        }
        None
    }
}

fn walks(body: &Body) -> Walks {
    Walks {
        radius: f64::from(body.radius()),
        height: f64::from(body.height()),
        knee: f64::from(body.knee()),
        step_down: f64::from(body.step_down()),
        max_slope_cos: body.max_slope_cos(),
    }
}

/// How far the reference goes, with and without a little less room. Metres.
fn goes(pieces: &[Piece], body: &Body, from: WorldPos, request: DVec2, enough: f64) -> f64 {
    let feet = f64::from(from.local().y);
    let walk = |room: f64| {
        let mut walker = Walker::new(pieces, walks(body), (DVec2::ZERO, feet), room);
        walker.walk(request, SECOND, enough)
    };
    let could = walk(0.0);
    if could > enough { marchland_reference::least(could, walk(ROOM)) } else { could }
}

/// The way of the reference for a second: places, ten in a second, as the feet of a body. It shows that the
/// reference is only where a body may be. `None` at the world's edge.
#[must_use]
pub fn way_of_reference(
    view: TerrainView<'_>,
    from: WorldPos,
    body: &Body,
    [x, z]: [f64; 2],
) -> Option<Vec<WorldPos>> {
    let request = DVec2::new(x, z);
    let reach = f64::from(body.radius()) + request.length() * SECOND + 0.6;
    let pieces = near::pieces(view, from, reach, u32::MAX)?;
    let feet = f64::from(from.local().y);
    let mut walker = Walker::new(&pieces, walks(body), (DVec2::ZERO, feet), 0.0);
    let size = view.grid().sector_size();
    let [x, _, z] = from.to_metres(size);
    let place =
        |(at, feet): (DVec2, f64)| WorldPos::from_metres(x + at.x, feet, z + at.y, size).ok();
    (0..10)
        .map(|_| {
            walker.walk(request, SECOND / 10.0, f64::INFINITY);
            place(walker.place())
        })
        .collect()
}

/// The directions that are tried: unit vectors, x and z.
fn directions() -> impl Iterator<Item = DVec2> {
    (0..DIRECTIONS).map(|at| {
        let turn = std::f64::consts::TAU * f64::from(at) / f64::from(DIRECTIONS);
        let (sin, cos) = libm::sincos(turn);
        DVec2::new(cos, sin)
    })
}

/// A direction in which a body has a straight way.
fn way_of(pieces: &[Piece], body: &Body, from: WorldPos) -> Option<DVec2> {
    let feet = f64::from(from.local().y);
    let walker = Walker::new(pieces, walks(body), (DVec2::ZERO, feet), 0.0);
    directions().find(|&heading| walker.has_way(heading, WAY))
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

/// Whether a body stands free and supported at a place: where a walk may begin.
#[must_use]
pub fn stands_free(view: TerrainView<'_>, place: WorldPos, body: &Body, mask: u32) -> bool {
    let pieces = near::pieces(view, place, f64::from(body.radius()) + 0.6, mask);
    let feet = f64::from(place.local().y);
    pieces.is_some_and(|pieces| {
        Walker::new(&pieces, walks(body), (DVec2::ZERO, feet), 0.0).stands_free()
    })
}
