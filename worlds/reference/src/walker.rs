//! A walker on ground and among props: the disc of [`disc`](crate::disc) in strides of a millimetre, with support.
//!
//! It does less than a unit may, never more: it takes no step, and what is steep between its feet and its knee
//! is a wall to it. So where it gets on, a unit can.
//!
//! | what | is |
//! |---|---|
//! | ground no steeper than the limit | support at the centre, and under the disc less the knee |
//! | steeper ground above the knee | a wall to the disc |
//! | steeper ground above the feet | a wall to the centre |
//! | steeper ground that rises ahead of gentle ground | a wall to the centre, from its edge |
//! | a prop's face no steeper, up to the knee | support under the whole disc |
//! | every other part of a prop above the feet | a wall to the disc |
//!
//! Without support it falls, along steep faces that push it aside and on which it steers by no more than a unit that
//! slides, until walls on both sides hold it: the floor of a ravine, on which it walks.

mod below;
mod body;

use glam::DVec2;

use crate::disc::{HalfPlane, before, freed_by};
use crate::most;
use crate::piece::{Kind, Piece};

use body::{
    ALL, ALONG, FALLEN, FALLS, GRAVITY, HALVINGS, HELD, KEPT, LIFTED, LOOK, ON_EDGE, STANDS, STRIDE,
};
pub use body::{SKIN, WalkerBody};

/// A walker at a place.
#[derive(Clone, Debug)]
pub struct Walker<'a> {
    pieces: &'a [Piece],
    body: WalkerBody,
    /// For each piece, how near it may be: the radius and the skin, or less if it began nearer.
    allowed: Vec<f64>,
    /// For each piece, how much above its head must be free of it: the skin, or what was free when it began.
    above: Vec<f64>,
    near: Vec<usize>,
    looked_at: (DVec2, f64),
    place: DVec2,
    feet: f64,
    /// Downwards. Metres per second.
    falls: f64,
    /// Whether what is steep has pushed it aside as it fell.
    slides: bool,
    /// Where it leads its middle over gentle ground. Ground that is steep and rises there is a wall from its edge.
    heading: Option<DVec2>,
}

impl<'a> Walker<'a> {
    /// A walker that stands. What begins nearer to it than the radius, the skin and `more` may stay as near.
    #[must_use]
    pub fn new(
        pieces: &'a [Piece],
        body: WalkerBody,
        (place, feet): (DVec2, f64),
        more: f64,
    ) -> Self {
        let radius = body.radius + SKIN + more;
        let mut walker = Self {
            pieces,
            body,
            allowed: vec![radius; pieces.len()],
            above: vec![SKIN; pieces.len()],
            near: Vec::new(),
            looked_at: (place, feet),
            place,
            feet,
            falls: 0.0,
            slides: false,
            heading: None,
        };
        walker.look();
        for index in walker.near.clone() {
            for (piece, low, is_centre) in walker.walls(index, feet) {
                if !is_centre {
                    walker.begin_below(index, low);
                }
                let distance = piece.cut(low, walker.top(index, feet)).nearest(place).distance;
                if !is_centre && distance < walker.allowed[index] {
                    walker.allowed[index] = distance - 1e-9;
                }
            }
        }
        walker
    }

    /// Notes how much is free of a piece above its head, if that is less than the skin: who rises comes no nearer. Below
    /// 0 where its head is slightly in it, by rounding.
    fn begin_below(&mut self, index: usize, low: f64) {
        let (piece, head) = (&self.pieces[index], self.feet + self.body.height);
        let is_in = |above: f64| {
            piece.cut(low, head + above).nearest(self.place).distance < self.body.radius
        };
        if piece.kind == Kind::Ground || !is_in(SKIN) || is_in(-SKIN) {
            return;
        }
        let (mut free, mut entered) = (-SKIN, SKIN);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (free + entered);
            if is_in(middle) {
                entered = middle;
            } else {
                free = middle;
            }
        }
        self.above[index] = free;
    }

    /// How far it gets along the request, at most, from where it is, within `seconds`. Ends early beyond
    /// `enough`. Metres.
    pub fn walk(&mut self, request: DVec2, seconds: f64, enough: f64) -> f64 {
        let speed = request.length();
        let strides = (speed * seconds / STRIDE).ceil();
        let (interval, from, height) = (seconds / strides, self.place, self.feet);
        let (mut farthest, mut still) = (0.0, 0);
        for _ in 0..strides as usize {
            let (before, feet) = (self.place, self.feet);
            self.stride(request * interval, interval);
            // Not where walls carry it across the request, unless it falls or slides down.
            let went = self.place - from;
            let is_along = went.dot(request) > ALONG * speed * went.length();
            let fell = height - self.feet;
            let is_fallen =
                fell > FALLEN && self.falls > FALLS && fell > self.steepest() * went.length();
            if is_along || is_fallen {
                farthest = most(farthest, went.length());
            }
            let is_still = self.place.distance(before) < 1e-9 && (self.feet - feet).abs() < 1e-9;
            still = if is_still { still + 1 } else { 0 };
            if farthest > enough || still > 8 {
                break;
            }
        }
        farthest
    }

    /// Where it is, and the height of its feet.
    #[must_use]
    pub fn place(&self) -> (DVec2, f64) {
        (self.place, self.feet)
    }

    /// Whether it can go straight along a unit vector for so many metres, support changing by at most the knee
    /// up and by the drop that is followed down.
    #[must_use]
    pub fn has_way(&self, heading: DVec2, metres: f64) -> bool {
        let mut walker = self.clone();
        let strides = (metres / STRIDE).ceil();
        let (place, feet) = (self.place, self.feet);
        for stride in 1..=strides as u32 {
            let at = place + heading * (metres * f64::from(stride) / strides);
            if !walker.is_free(at, walker.feet) {
                return false;
            }
            let support = walker.below(at, walker.feet).height;
            let (up, down) = (self.body.knee, self.body.step_down);
            if support > feet + up || support < feet - down || !walker.is_free(at, support) {
                return false;
            }
            (walker.place, walker.feet) = (at, support);
        }
        true
    }

    /// Whether it touches nothing, and stands on something.
    #[must_use]
    pub fn stands_free(&self) -> bool {
        let is_alone = self.allowed.iter().all(|&allowed| allowed >= self.body.radius + SKIN)
            && self.above.iter().all(|&above| above >= SKIN);
        let below = self.below(self.place, self.feet);
        let is_near = below.stands && (self.feet - below.height).abs() < STANDS;
        is_alone && is_near && self.is_free(self.place, self.feet)
    }

    /// Whether it touches nothing there.
    fn is_free(&self, at: DVec2, feet: f64) -> bool {
        let mut halves = Vec::new();
        self.entered(at, feet, &mut halves);
        halves.is_empty()
    }

    fn stride(&mut self, way: DVec2, interval: f64) {
        let (at, since) = self.looked_at;
        if self.place.distance(at) > LOOK || (self.feet - since).abs() > LOOK {
            self.look();
        }
        // Who slides steers by as much.
        let way = if self.slides { way * self.body.slide_control } else { way };
        let wanted = way.length();
        self.heading = self.is_over_gentle().then_some(way);
        let (mut place, mut feet) = (self.place, self.feet);
        if let Ok(free) = self.freed(place + way, feet) {
            place = free;
        }
        // On the floor of a ravine that rises, walls close in ahead at the height of the feet.
        if place.distance(self.place) < 0.3 * wanted && self.falls == 0.0 {
            let rise = wanted * self.steepest();
            let is_held = self.pushed_aside(feet - rise).is_none();
            if let (true, Ok(free)) = (is_held, self.freed(self.place + way, feet + rise))
                && free.distance(self.place) > place.distance(self.place)
                && self.is_kept_at(free, feet + rise, feet)
            {
                (place, feet) = (free, feet + rise);
            }
        }
        let drop = if self.falls == 0.0 { self.body.step_down } else { 0.0 };
        let mut below = self.below(place, feet);
        if !below.stands && below.height > feet + ON_EDGE {
            // Along a seam of steep pieces that rises.
            (place, feet) = (self.place, self.feet);
            below = self.below(place, feet);
        }
        match below.stands.then_some(below.height) {
            Some(support) if support > feet - drop => {
                if let Some(stood) = self.stood(place, support, wanted) {
                    (self.place, self.feet) = self.no_faster(stood, way);
                    (self.falls, self.slides) = (0.0, false);
                } else if support > feet
                    || (self.falls == 0.0 && support > feet - wanted * self.steepest())
                {
                    // No room there; walls that are nearer farther down carry nobody down gentle ground.
                    (self.falls, self.slides) = (0.0, false);
                } else {
                    (self.place, self.feet) = (place, feet);
                    self.heading = None;
                    self.fall(interval, support);
                }
            }
            _ => {
                (self.place, self.feet) = (place, feet);
                self.heading = None;
                self.fall(interval, below.gentle);
            }
        }
        self.heading = None;
    }

    /// Where it stands, no farther along what is in its way than its way leads along that: walls that are nearer farther
    /// down push it on, and those that it meets at each height let it come to them again.
    fn no_faster(&self, (place, feet): (DVec2, f64), way: DVec2) -> (DVec2, f64) {
        let went = place - self.place;
        let (far, along) = (went.length_squared(), went.dot(way));
        if far <= along * (1.0 + 1e-6) {
            return (place, feet);
        }
        let at = self.place + went * (most(along, 0.0) / far);
        let below = self.below(at, self.feet);
        let is_there = below.stands && self.is_free(at, below.height);
        if is_there { (at, below.height) } else { (place, feet) }
    }

    /// Where it stands on a support: walls that are nearer at that height push it aside by no more than its way.
    fn stood(&self, place: DVec2, support: f64, wanted: f64) -> Option<(DVec2, f64)> {
        let (mut at, mut feet) = (place, support);
        for _ in 0..4 {
            let free = self.freed(at, feet).ok()?;
            if free.distance(at) < 1e-7 {
                return Some((at, feet));
            }
            (at, feet) = (free, self.below(free, feet).height);
            if free.distance(place) > wanted {
                return None;
            }
        }
        None
    }

    /// Falls for `interval` seconds, no lower than `floor`: pushed aside by what is steep, or held.
    fn fall(&mut self, interval: f64, floor: f64) {
        self.falls += GRAVITY * interval;
        let lower = most(self.feet - self.falls * interval, floor);
        if lower >= self.feet {
            self.falls = 0.0;
        }
        self.slides = false;
        match self.pushed_aside(lower) {
            Some(free) => {
                self.slides = free != self.place;
                (self.place, self.feet) = (free, lower);
            }
            None => {
                self.falls = 0.0;
                self.land(lower);
            }
        }
    }

    /// Stands on gentle ground if that is what keeps it from coming down to a height: off a steep face it comes onto
    /// the ground at its foot, of which that face is a wall again.
    fn land(&mut self, lower: f64) {
        let Ok(free) = self.freed(self.place, lower) else { return };
        let below = self.below(free, self.feet);
        let is_foot = below.stands && lower < below.height && below.height <= self.feet;
        if is_foot && self.freed(free, below.height).is_ok_and(|at| at == free) {
            (self.place, self.feet) = (free, below.height);
        }
    }

    /// Where what is steep pushes it if its feet come down to a height; `None` if that holds it, or leads down no
    /// steeper than it walks.
    fn pushed_aside(&self, lower: f64) -> Option<DVec2> {
        self.pushed_by(self.place, self.feet, lower, HELD)
    }

    /// The same, where it is held if it would be pushed by more than the part `most` of what leads down that steeply.
    fn pushed_by(&self, place: DVec2, feet: f64, lower: f64, most: f64) -> Option<DVec2> {
        let free = self.freed(place, lower).ok()?;
        let aside = (feet - lower) / self.steepest();
        // On the seam of two steep pieces it is on the edge of both.
        let is_under = self.below(free, lower).height > lower + ON_EDGE;
        (free.distance(place) < most * aside && !is_under).then_some(free)
    }

    /// Rise over run of the steepest ground that it walks on.
    fn steepest(&self) -> f64 {
        let slope = self.body.max_slope_cos;
        (1.0 - slope * slope).sqrt() / slope
    }

    /// Whether walls hold it at a height, or gentle ground supports it no more than rounding lower: nobody rises off
    /// what it stands on along a wall. A single face is no floor, however little too steep it is.
    fn is_kept_at(&self, at: DVec2, feet: f64, from: f64) -> bool {
        let below = self.below(at, feet);
        let floor = if below.stands { most(below.height, from) } else { from };
        feet - floor < ON_EDGE || self.pushed_by(at, feet, floor, ALL).is_none()
    }

    fn freed(&self, place: DVec2, feet: f64) -> Result<DVec2, DVec2> {
        freed_by(place, &mut |at, halves| self.entered(at, feet, halves))
    }

    fn entered(&self, at: DVec2, feet: f64, halves: &mut Vec<HalfPlane>) {
        for &index in &self.near {
            for (piece, low, is_centre) in self.walls(index, feet) {
                let is_whole = is_centre && low == f64::NEG_INFINITY;
                let radius = match is_centre {
                    true if is_whole => KEPT,
                    true => 0.0,
                    false => self.allowed[index],
                };
                let margin = if is_whole { radius + at.distance(self.place) } else { radius };
                if piece.at_least(at) < margin + 1e-6 {
                    let cut = piece.cut(low, self.top(index, feet));
                    // No way leads over a corner of it either.
                    let side = if is_whole { cut.entered_by(self.place, at) } else { None };
                    if let Some((normal, line)) = side {
                        halves.push(HalfPlane { normal, offset: line + radius });
                    } else if !cut.is_empty() {
                        halves.extend(before(cut.nearest(at), at, radius));
                    }
                }
            }
        }
    }

    /// How high a piece counts. Nobody is below ground.
    fn top(&self, index: usize, feet: f64) -> f64 {
        let is_ground = self.pieces[index].kind == Kind::Ground;
        if is_ground { f64::INFINITY } else { feet + self.body.height + self.above[index] }
    }

    /// From which heights up a piece is a wall to the disc or, if so marked, to the centre.
    fn walls(
        &self,
        index: usize,
        feet: f64,
    ) -> impl Iterator<Item = (&'a Piece, f64, bool)> + use<'a> {
        let piece = &self.pieces[index];
        let knee = feet + self.body.knee;
        let is_gentle = piece.normal.y >= self.body.max_slope_cos;
        let (disc, centre) = match piece.kind {
            // Beside a hole, or behind what is steep.
            Kind::Ground if is_gentle => (Some(knee + LIFTED), Some(knee)),
            Kind::Ground => {
                let uphill = -DVec2::new(piece.normal.x, piece.normal.z);
                let is_whole = self.heading.is_some_and(|heading| uphill.dot(heading) > 0.0);
                (Some(knee), Some(if is_whole { f64::NEG_INFINITY } else { feet + 1e-9 }))
            }
            Kind::Prop if is_gentle => (Some(knee), None),
            Kind::Prop => (Some(feet + self.body.trifle), None),
        };
        let disc = disc.map(|low| (piece, low, false));
        disc.into_iter().chain(centre.map(|low| (piece, low, true)))
    }

    /// Whether its middle is over ground that it can stand on, or on the edge of such ground: who goes along
    /// that edge is not on the steep side of it by rounding.
    fn is_over_gentle(&self) -> bool {
        let (at, none) = (self.place, f64::NEG_INFINITY);
        self.near.iter().map(|&index| &self.pieces[index]).any(|piece| {
            let is_gentle = piece.normal.y >= self.body.max_slope_cos;
            piece.kind == Kind::Ground
                && is_gentle
                && piece.at_least(at) < ON_EDGE
                && piece.cut(none, f64::INFINITY).nearest(at).distance < ON_EDGE
        })
    }

    /// Chooses the pieces that are near.
    fn look(&mut self) {
        let distance = self.body.radius + SKIN + 2.0 * LOOK;
        let (low, high) = (self.feet - 2.0 - LOOK, self.feet + self.body.height + SKIN + LOOK);
        let is_near = |piece: &Piece| {
            let (bottom, top) = piece.heights();
            piece.at_least(self.place) < distance
                && (piece.kind == Kind::Ground || top > low && bottom < high)
        };
        self.near = (0..self.pieces.len()).filter(|&index| is_near(&self.pieces[index])).collect();
        self.looked_at = (self.place, self.feet);
    }
}

#[cfg(test)]
mod tests;
