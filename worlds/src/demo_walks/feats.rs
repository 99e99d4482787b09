//! What a walker has done, derived only from its observed positions, tick by tick.

use super::places::{BRIDGE, STAIRS, TOWER};
use super::platforms::{Platform, platforms};

/// Counts of actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Feats {
    /// Climbs from the foot of the tower's stairs to its top.
    pub stairs_climbed: u64,
    /// Descents from the top to the foot.
    pub stairs_descended: u64,
    /// Crossings from one end of the bridge over its deck to the other.
    pub bridges_crossed: u64,
    /// Rides from one end of a platform's way to the other, standing on it.
    pub platforms_ridden: u64,
}

impl Feats {
    /// Adds another walker's counts.
    pub fn add(&mut self, other: Self) {
        self.stairs_climbed += other.stairs_climbed;
        self.stairs_descended += other.stairs_descended;
        self.bridges_crossed += other.bridges_crossed;
        self.platforms_ridden += other.platforms_ridden;
    }
}

/// Follows one walker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Follower {
    /// What it has done so far.
    pub feats: Feats,
    /// The level of the stairs at which it was last.
    stairs: Option<Level>,
    /// The end of the bridge at which it was last, and whether it has been on the deck's middle since.
    bridge: Option<(Bank, bool)>,
    /// The platform it stands on, and the end at which it was last.
    aboard: Option<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Foot,
    Top,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bank {
    North,
    South,
}

impl Follower {
    /// Records the walker's feet after the tick. Metres from the north-west corner, and height.
    pub fn see(&mut self, [x, y, z]: [f32; 3], tick: u64) {
        self.see_platforms([x, y, z], tick);
        self.see_stairs([x, y, z]);
        self.see_bridge([x, y, z]);
    }

    fn see_stairs(&mut self, [x, y, z]: [f32; 3]) {
        let near = |at: f32, middle: f32, half: f32| (at - middle).abs() <= half;
        let at_foot =
            near(x, STAIRS[0], 1.0) && near(z, STAIRS[1] + 1.0, 0.9) && y < TOWER.top - 7.0;
        let on_top = near(x, TOWER.middle[0], TOWER.half)
            && near(z, TOWER.middle[1], TOWER.half)
            && near(y, TOWER.top, 0.05);
        if self.aboard.is_some() {
            self.stairs = None; // a walker that arrives by the lift has not climbed
        } else if at_foot {
            self.feats.stairs_descended += u64::from(self.stairs == Some(Level::Top));
            self.stairs = Some(Level::Foot);
        } else if on_top {
            self.feats.stairs_climbed += u64::from(self.stairs == Some(Level::Foot));
            self.stairs = Some(Level::Top);
        }
    }

    fn see_bridge(&mut self, [x, y, z]: [f32; 3]) {
        let along = z - BRIDGE.middle[1];
        if (x - BRIDGE.middle[0]).abs() > BRIDGE.half_width {
            self.bridge = None;
            return;
        }
        if along.abs() < 1.0 && (y - BRIDGE.deck).abs() < 0.05 {
            self.bridge = self.bridge.map(|(from, _)| (from, true));
        }
        let bank = if along < 0.0 { Bank::North } else { Bank::South };
        if along.abs() > BRIDGE.half_length {
            let crossed = self.bridge.is_some_and(|(from, over)| over && from != bank);
            self.feats.bridges_crossed += u64::from(crossed);
            self.bridge = Some((bank, false));
        }
    }

    fn see_platforms(&mut self, place: [f32; 3], tick: u64) {
        let mut aboard = None;
        for (number, platform) in platforms().iter().enumerate() {
            let was = self.aboard.filter(|(at, _)| *at == number).map(|(_, end)| end);
            // After this tick, the platform is where the next tick finds it.
            match platform.rests(tick + 1) {
                Some((end, _)) if stands_on(platform, platform.at_end(end), place) => {
                    self.feats.platforms_ridden += u64::from(was.is_some_and(|from| from != end));
                    aboard = Some((number, end));
                }
                None => {
                    let on_way =
                        was.filter(|_| stands_on(platform, platform.on_way(tick + 1), place));
                    aboard = aboard.or(on_way.map(|end| (number, end)));
                }
                Some(_) => {}
            }
        }
        self.aboard = aboard;
    }
}

/// Whether feet are on a platform whose own foot's middle is at a place.
fn stands_on(platform: &Platform, [x, y, z]: [f32; 3], feet: [f32; 3]) -> bool {
    (feet[0] - x).abs() <= platform.size[0] / 2.0
        && (feet[2] - z).abs() <= platform.size[2] / 2.0
        && (feet[1] - y - platform.size[1]).abs() < 0.02
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The feats of a walker at these places, one a tick.
    fn seen(places: &[[f32; 3]]) -> Feats {
        let mut follower = Follower::default();
        places.iter().zip(0..).for_each(|(place, tick)| follower.see(*place, tick));
        follower.feats
    }

    const FOOT: [f32; 3] = [STAIRS[0], TOWER.top - 8.5, STAIRS[1] + 1.0];
    const TOP: [f32; 3] = [TOWER.middle[0], TOWER.top, TOWER.middle[1]];

    #[test]
    fn stairs_count_from_the_foot_to_the_top_and_back() {
        let feats = seen(&[FOOT, FOOT, TOP, TOP, FOOT, TOP]);
        assert_eq!((feats.stairs_climbed, feats.stairs_descended), (2, 1));
        assert_eq!(seen(&[TOP, TOP]), Feats::default());
        let under = [TOP[0], TOP[1] - 1.0, TOP[2]];
        assert_eq!(seen(&[FOOT, under]), Feats::default());
    }

    #[test]
    fn a_bridge_is_crossed_over_its_deck_to_the_other_bank() {
        let [x, z] = BRIDGE.middle;
        let at = |along: f32, y: f32| [x, y, z + along];
        let (bank, deck) = (43.2, BRIDGE.deck);
        let feats = seen(&[at(-17.0, bank), at(0.0, deck), at(17.0, bank), at(0.0, deck)]);
        assert_eq!(feats.bridges_crossed, 1);
        let through = [at(-17.0, bank), at(0.0, 41.0), at(17.0, bank)];
        assert_eq!(seen(&through), Feats::default(), "below it");
        let back = [at(-17.0, bank), at(0.0, deck), at(-17.0, bank)];
        assert_eq!(seen(&back), Feats::default(), "and back");
    }

    #[test]
    fn a_ride_is_from_one_end_to_the_other_without_leaving() {
        let [_, ferry] = platforms();
        let ticks = ferry.travel_ticks + ferry.rest_ticks + 10;
        let ride = |leaves: Option<u64>| {
            let mut follower = Follower::default();
            for tick in 0..ticks {
                let [x, y, z] = match ferry.rests(tick + 1) {
                    Some((end, _)) => ferry.at_end(end),
                    None => ferry.on_way(tick + 1),
                };
                let jumps = if leaves == Some(tick) { 1.0 } else { 0.0 };
                follower.see([x + 0.5, y + ferry.size[1] + jumps, z - 0.7], tick);
            }
            follower.feats.platforms_ridden
        };
        assert_eq!(ride(None), 1);
        assert_eq!(ride(Some(ferry.rest_ticks + 50)), 0, "who leaves it on the way has not ridden");
    }
}
