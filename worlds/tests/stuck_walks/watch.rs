//! Who is stuck, by both judgements of `marchland_worlds::stuck`: all units of a batch, tick by tick.

use marchland_controller::{Body, Motion, TickSettings, UnitId, Units, Wish};
use marchland_reference::walker::Walker;
use marchland_terrain::glam::DVec2;
use marchland_terrain::{TerrainView, WorldPos};
use marchland_worlds::stuck::{
    Cause, RESTS, SECOND, Second, has_mover, is_suspect, pieces, slow, trapped, walks,
};

/// A stuck unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StuckUnit {
    /// Which.
    pub(crate) unit: UnitId,
    /// Why.
    pub(crate) why: Cause,
    /// Where it was a second ago.
    pub(crate) from: WorldPos,
}

/// What is known of one unit.
#[derive(Clone, Copy, Debug)]
struct WatchedUnit {
    second: Second,
    /// Where it rested when it was last tried.
    tried: Option<WorldPos>,
}

/// Watches all units of a batch, tick by tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    units: Vec<Option<WatchedUnit>>,
    /// How many seconds were judged, and how many rests.
    pub(crate) judged: [u64; 2],
}

impl Watch {
    /// Begins with nobody known.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Forgets a unit: it was put elsewhere, thrown or given another body.
    pub(crate) fn forget(&mut self, unit: UnitId) {
        if let Some(watched) = self.units.get_mut(unit.slot as usize) {
            *watched = None;
        }
    }

    /// To be called after each tick; reports who is stuck, each second anew.
    pub(crate) fn tick(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        wishes: &[Wish],
        settings: &TickSettings,
    ) -> Vec<StuckUnit> {
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
    ) -> Option<WatchedUnit> {
        let (place, motion) = (units.position(unit)?, units.motion(unit)?);
        let known = self.units[unit.slot as usize];
        let tried = known.and_then(|known| known.tried);
        let begun = WatchedUnit { second: Second::begin(place, wish.velocity()), tried };
        let Some(mut watched) = known.filter(|known| known.second.request == wish.velocity())
        else {
            self.units[unit.slot as usize] = Some(begun);
            return None;
        };
        let second = &mut watched.second;
        second.pass(place, units.sector_size());
        second.is_excused |= motion == Motion::Climbing
            || units.is_held(unit)?
            || wish.jumps()
            || units.velocity(unit)?.y.abs() > 6.0;
        let is_over = second.is_over(settings.dt);
        self.units[unit.slot as usize] = Some(if is_over { begun } else { watched });
        (is_over && !watched.second.is_excused).then_some(watched)
    }

    fn judge(
        &mut self,
        view: TerrainView<'_>,
        units: &Units,
        unit: UnitId,
        WatchedUnit { second, tried }: WatchedUnit,
        settings: &TickSettings,
    ) -> Option<StuckUnit> {
        let (from, body) = (second.from, units.body(unit)?);
        let is_elsewhere =
            |tried: WorldPos| tried.relative_to(from, units.sector_size()).length() > RESTS as f32;
        let asks = is_suspect(&second);
        let rests = second.farthest < RESTS && tried.is_none_or(is_elsewhere);
        if !(asks || rests) || has_mover(view, from, body) {
            return None;
        }
        let stuck = |why| StuckUnit { unit, why, from };
        if asks {
            self.judged[0] += 1;
            if let Some(why) = slow(view, (body, units.mask(unit)?), &second) {
                return Some(stuck(why));
            }
        }
        if rests {
            self.judged[1] += 1;
            self.units[unit.slot as usize].as_mut()?.tried = Some(from);
            return trapped(view, units, unit, settings).map(stuck);
        }
        None
    }
}

/// The way of the reference for a second: places, ten in a second, as the feet of a body. It shows that the
/// reference is only where a body may be. `None` at the world's edge.
pub(crate) fn way_of_reference(
    view: TerrainView<'_>,
    from: WorldPos,
    body: &Body,
    [x, z]: [f64; 2],
) -> Option<Vec<WorldPos>> {
    let request = DVec2::new(x, z);
    let pieces = pieces(view, from, (body, u32::MAX), request.length() * SECOND)?;
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

/// Whether a body stands free and supported at a place: where a walk may begin.
pub(crate) fn stands_free(view: TerrainView<'_>, place: WorldPos, body: &Body, mask: u32) -> bool {
    let pieces = pieces(view, place, (body, mask), 0.0);
    let feet = f64::from(place.local().y);
    pieces.is_some_and(|pieces| {
        Walker::new(&pieces, walks(body), (DVec2::ZERO, feet), 0.0).stands_free()
    })
}
