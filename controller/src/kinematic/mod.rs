//! The full controller: one unit, one tick, among everything solid.
//!
//! ```text
//! tick   carried and pushed    moving_props       what moves: carries, pushes, crushes
//!        free                  depenetrate  out of what it is in
//!        by its motion         walk         along walls, over steps (step_up), onto what bears (stand, step_down)
//!                              wedge        between steep walls
//!                              slick        with less grip than a walk needs
//!                              air          jumps, falls, bounces, slides
//!                              climb        ledges, ladders
//!        free, off its platform, contacts told
//! mover   a unit under way     request, planes   what it is asked; all that is in its way, solved together
//! space   what it asks of the world, and what is too steep to stand on (too_steep)
//! subject who it is, and how far it can touch anything
//! bare_ground   a body where nothing but ground is near, without any of that
//! ```
//!
//! A body has two cylinders: the lower one measures what it stands on (`space::footing`), the upper one is never
//! inside anything (`walk`). A falling unit is solid from the feet up (`air`).

mod air;
pub(crate) mod bare_ground;
pub(crate) mod climb;
mod depenetrate;
mod mover;
mod moving_props;
pub(crate) mod planes;
mod request;
mod slick;
mod space;
mod subject;
mod tick;
mod walk;
mod wedge;

use marchland_terrain::query::Contacts;
use marchland_terrain::{TerrainView, WorldPos};

use self::mover::{EventList, Mover};
use self::moving_props::MovingProps;
pub(crate) use self::moving_props::carrier::carrier;
use self::planes::Planes;
use self::space::known_walls::LevelMemory;
use self::space::recent::Recent;
use self::space::{Missing, PARTING, Space};
use self::subject::{SEEN_MAX, ahead, region, slope_rise, usual_region};
pub(crate) use self::subject::{Subject, farthest, steepest_open};
pub(crate) use self::walk::led_back::{Turn, Went, turn};
pub(crate) use self::walk::recurrence::{Course, OwnMove, course};
use crate::ground::sectors::Sectors;
use crate::units::body::Body;
use crate::units::contact_state::ContactState;
use crate::units::hair::{blocks_from, hair};
use crate::units::memory::gather_cache::KnownSurroundings;
use crate::units::reach::Reaches;
use crate::units::tick::{Outcome, Tick, Verdict, unmoved};
use crate::units::unit::{Motion, Unit};
use crate::units::wish::Wish;

/// Most triangles that are gathered around a unit; if there are more, queries go to the world.
const NEAR_TRIANGLES: usize = 768;

/// Most contacts of a body that are kept; if there are more, the deepest.
const CONTACTS: usize = 48;

/// Memory for one unit's move, reused for the next.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// For a unit for which nothing is kept.
    pub(crate) at_hand: KnownSurroundings,
    pub(crate) around: Surroundings,
    pub(crate) full: FullResult,
}

/// What is around a unit, as far as it was asked in a tick.
#[derive(Debug)]
pub(crate) struct Surroundings {
    pub(crate) contacts: Contacts,
    pub(crate) level: LevelMemory,
    /// What a mover has met, and what is around it.
    met: Planes,
    walls: Planes,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            at_hand: KnownSurroundings::with_capacity(NEAR_TRIANGLES),
            around: Surroundings {
                contacts: Contacts::with_capacity(CONTACTS),
                level: LevelMemory::new(),
                met: Planes::new(),
                walls: Planes::new(),
            },
            full: FullResult { state: ContactState::NONE, events: EventList::new() },
        }
    }
}

/// The result of a tick for one unit that has moved, besides its [`Outcome`].
#[derive(Debug)]
pub(crate) struct FullResult {
    pub(crate) state: ContactState,
    pub(crate) events: EventList,
}

/// Moves one unit by one tick. What is gathered is for this view and the unit's layers, or was forgotten. Sets `full`
/// if the unit moves.
#[inline(never)]
pub(crate) fn kinematic<'v>(
    tick: &Tick,
    view: TerrainView<'v>,
    sectors: &mut Sectors<'v>,
    memory: (&mut KnownSurroundings, &mut Surroundings),
    subject: &Subject<'_>,
    full: &mut FullResult,
) -> Outcome {
    let unmoved = |verdict| unmoved(subject.unit, verdict);
    let Ok(place) =
        WorldPos::new(subject.unit.sector, subject.unit.local, view.grid().sector_size())
    else {
        return unmoved(Verdict::Outside);
    };
    let Subject { unit, state, body, mask, wish, .. } = *subject;
    // Where nothing moves there is none to make room for.
    let mut found;
    let moving_props = if view.live().is_some() {
        found = MovingProps::new();
        found.find(view, mask, place, body, state);
        &found
    } else {
        const { &MovingProps::new() }
    };
    let reach = reach_with(tick, view, place, (unit, state), body, wish, moving_props);
    if reach.is_beyond() || moving_props.is_left_out_within(0.0) {
        return unmoved(Verdict::Overloaded);
    }
    if reach.any_missing(sectors, unit.sector) {
        return unmoved(Verdict::Held);
    }
    match run(tick, view, sectors, memory, (subject, moving_props), place, full) {
        Ok(Some(outcome)) => outcome,
        Ok(None) => unmoved(Verdict::Overloaded),
        Err(Missing::NotResident { sector }) => unmoved(Verdict::HeldBy(sector)),
        Err(_) => unmoved(Verdict::Overloaded),
    }
}

/// The sectors that must be in memory before a unit moves.
pub(crate) fn reach_of(
    tick: &Tick,
    view: TerrainView<'_>,
    place: WorldPos,
    unit: &Unit,
    state: &ContactState,
    (body, mask): (&Body, u32),
    wish: Wish,
) -> Reaches {
    let mut moving_props = MovingProps::new();
    moving_props.find(view, mask, place, body, state);
    reach_with(tick, view, place, (unit, state), body, wish, &moving_props)
}

fn reach_with(
    tick: &Tick,
    view: TerrainView<'_>,
    place: WorldPos,
    (unit, state): (&Unit, &ContactState),
    body: &Body,
    wish: Wish,
    moving_props: &MovingProps<'_>,
) -> Reaches {
    let carried = carrier(view, state, place, tick.dt);
    let by = carried.map_or([0.0, 0.0], |carrier| [carrier.by.x as f32, carrier.by.z as f32]);
    let beside = if state.contacts_last_tick[0].is_some() { PARTING } else { 0.0 };
    let push = moving_props.push_max(state.support) as f32 + beside;
    Reaches::carried(tick, unit, body, wish, (by, push))
}

/// `None` where a mover that is left out may be met.
fn run<'v>(
    tick: &Tick,
    view: TerrainView<'v>,
    sectors: &mut Sectors<'v>,
    (at_hand, around): (&mut KnownSurroundings, &mut Surroundings),
    (subject, moving_props): (&Subject<'_>, &MovingProps<'v>),
    place: WorldPos,
    full: &mut FullResult,
) -> Result<Option<Outcome>, Missing> {
    let Subject { unit, state, body, wish, .. } = *subject;
    let KnownSurroundings { near, known, slope } = at_hand;
    let Surroundings { contacts, level, met, walls } = around;
    level.forget();
    let push = moving_props.push_max(state.support) as f32;
    let (reach, farthest) = region(tick, view, subject, place, push);
    // In the open there is no steep ground where the unit goes, and steep ground beside its way does not
    // matter.
    let has_steep = !subject.in_the_open
        && (farthest > SEEN_MAX || slope.has_steeper(view, &reach, steepest_open(body)));
    let usual = usual_region(tick, subject, place);
    let bare = usual.filter(|usual| {
        let _ = view.gather_more(usual, subject.mask, near);
        !subject.among_props && near.is_bare(view, usual)
    });
    near.keep_ground(view, has_steep);
    let mut space = Space {
        tick,
        view,
        mask: subject.mask,
        near,
        known,
        reach,
        bare,
        sectors,
        contacts,
        contacts_key: None,
        footings: Recent::new(),
        unlifted: None,
        clearances: Recent::new(),
        level,
        ahead: ahead(tick, body, wish),
        body,
        upper_low: blocks_from(body, place.local().y),
        hair: hair(place.local().y),
        low_from: hair(place.local().y),
        slope_rise: slope_rise(tick, unit, body, wish),
        surfaces: subject.surfaces,
        sticky: subject.sticky.copied(),
        glides: false,
        size: view.grid().sector_size(),
        has_steep,
        in_pit: false,
        in_the_open: subject.in_the_open,
        moving_props,
    };
    let meets_rims = unit.motion == Motion::Falling || state.is_wedged;
    space.in_pit = meets_rims && space.is_over_hole(place);
    let mut mover = Mover::new(&mut space, (met, walls), place, unit, *state);
    mover.tick(wish)?;
    if moving_props.is_left_out_within(mover.shoved + mover.pushed) {
        return Ok(None);
    }
    let end = Unit {
        sector: mover.place.sector(),
        local: mover.place.local(),
        velocity: mover.velocity,
        motion: mover.motion,
        residue: mover.residue,
    };
    let borders = end.sector.x.abs_diff(unit.sector.x) + end.sector.z.abs_diff(unit.sector.z);
    let outcome = Outcome {
        unit: end,
        verdict: Verdict::Moved,
        landed: unit.motion == Motion::Falling && end.motion == Motion::Walking,
        left_ground: unit.motion == Motion::Walking && end.motion == Motion::Falling,
        met_edge: mover.met_edge,
        met_slope: mover.met_slope,
        new_velocity: true,
        borders,
        ..Outcome::NOTHING
    };
    (full.state, full.events) = (mover.state, mover.events);
    Ok(Some(outcome))
}
