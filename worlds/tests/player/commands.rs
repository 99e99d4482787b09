//! What a game asks between ticks.

use marchland_controller::{Spawn, UnitId, Units, Wish};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{LiveProp, Placement};

use crate::check::{Findings, Kind};
use crate::game::{Game, UnitRecord};

const UNITS: usize = 24;
const PROPS: usize = 24;

impl Game {
    pub(crate) fn command(&mut self, findings: &mut Findings) {
        if self.known.len() < UNITS && self.random.once_in(12.0) {
            self.spawn();
        }
        if self.props.len() < PROPS && self.random.once_in(12.0) {
            self.add_prop();
        }
        for index in (0..self.props.len()).rev() {
            self.command_prop(index);
        }
        for index in (0..self.known.len()).rev() {
            let before = self.random.once_in(50.0).then(|| self.units.clone());
            let id = self.known[index].id;
            let is_commanded = self.command_unit(index);
            if let Some(before) = before.filter(|_| is_commanded)
                && !self.is_alone_changed(&before, id)
            {
                findings.put(self, Kind::NeighbourCommanded, id, 0.0);
            }
        }
    }

    /// Whether nobody else differs from before a command.
    fn is_alone_changed(&self, before: &Units, commanded: UnitId) -> bool {
        let state = |units: &Units, id| {
            (units.position(id), units.velocity(id), units.motion(id), units.body_id(id))
        };
        let others = self.known.iter().map(|known| known.id).filter(|&id| id != commanded);
        others.into_iter().all(|id| state(before, id) == state(&self.units, id))
    }

    pub(crate) fn spawn(&mut self) {
        let (position, body) = (self.somewhere(), self.random.pick(&self.bodies));
        let its = self.units.bodies()[body.index()];
        let motion = self.units.start_motion(self.view(), position, &its, u32::MAX);
        let spawn = Spawn { position, velocity: self.velocity(20.0), motion, body, mask: u32::MAX };
        let id = self.units.spawn(spawn).unwrap();
        self.wishes.resize(self.units.slots(), Wish::STAND);
        self.wishes[id.slot as usize] = Wish::STAND;
        // Where it is put is the game's choice: until it is free, that is known.
        self.known.push(UnitRecord {
            id,
            is_told: true,
            is_aloft: false,
            kept: 0.0,
            radius: 0.0,
            height: 0.0,
        });
    }

    /// Whether a command was given.
    fn command_unit(&mut self, index: usize) -> bool {
        let id = self.known[index].id;
        if self.random.once_in(20.0) {
            self.wishes[id.slot as usize] = self.wish();
        }
        let wish = &mut self.wishes[id.slot as usize];
        *wish = wish.with_jump(self.random.once_in(40.0));
        match self.random.below(500) {
            0 => {
                self.known.swap_remove(index);
                assert!(self.units.despawn(id));
            }
            1..4 => {
                let impulse = self.velocity(30.0);
                self.units.add_impulse(id, impulse).unwrap();
            }
            4..8 => {
                let to = self.somewhere();
                let view = self.sectors.view().with_live(&self.live);
                self.units.teleport(view, id, to).unwrap();
                self.known[index].is_told = true;
            }
            8..16 => {
                let body = self.random.pick(&self.bodies);
                let view = self.sectors.view().with_live(&self.live);
                // Refused where there is no room.
                let _ = self.units.resize(view, id, body);
            }
            16..20 => {
                let mask = self.random.pick(&[u32::MAX, u32::MAX, 0, 1, 2]);
                assert!(self.units.set_mask(id, mask));
                self.known[index].is_told = true; // what it meets now may be where it is
            }
            _ => return false,
        }
        true
    }

    fn wish(&mut self) -> Wish {
        let heading = self.random.between(0.0, std::f64::consts::TAU);
        let speed = match self.random.below(12) {
            0..2 => 0.0,
            2 => 100.0,
            3 => 1e-6,
            _ => self.random.between(0.0, 6.0),
        };
        if self.random.once_in(200.0) {
            return Wish::walk(f32::NAN, 1.0); // is told as invalid
        }
        Wish::walk((speed * heading.cos()) as f32, (speed * heading.sin()) as f32)
    }

    /// Mostly slower than `usual`, seldom far faster.
    fn velocity(&mut self, usual: f64) -> Vec3 {
        let most = self.random.pick(&[0.0, 1.0, usual, usual, 300.0]);
        Vec3::from([0; 3].map(|_| self.random.between(-most, most) as f32))
    }

    pub(crate) fn add_prop(&mut self) {
        let position = self.somewhere();
        let mesh = self.random.below(self.meshes.len() as u64) as usize;
        let mut prop = LiveProp::new(self.meshes[mesh].clone(), position);
        prop.placement = self.placement();
        prop.layers = self.random.pick(&[u32::MAX, u32::MAX, 1, 2]);
        let id = self.live.add(prop).unwrap();
        self.props.push(id);
    }

    fn placement(&mut self) -> Placement {
        let upright = [0.0, self.random.between(0.0, 360.0), 0.0];
        let any = [0; 3].map(|_| self.random.between(-180.0, 180.0));
        let degrees = self.random.pick(&[[0.0; 3], upright, upright, any]);
        let scale = self.random.pick(&[1.0, 1.0, 1.0, 0.3, 2.0]);
        Placement::new(Rotation::from_degrees(degrees), scale).unwrap()
    }

    fn command_prop(&mut self, index: usize) {
        let id = self.props[index];
        let prop = self.live.get(id).unwrap();
        let (position, placement) = (prop.position(), prop.placement());
        match self.random.below(400) {
            0 => {
                self.live.remove(id).unwrap();
                self.props.swap_remove(index);
            }
            1..4 => {
                let (to, turned) = (self.somewhere(), self.placement());
                // Onto whom it is put is the game's choice.
                if self.live.set_pose(id, to, turned).is_ok() {
                    self.put.push(id);
                }
                self.excuse_all();
            }
            4..20 => {
                let linear = self.velocity(4.0);
                let most = self.random.pick(&[0.0, 0.0, 0.5, 3.0]);
                let angular = [0; 3].map(|_| self.random.between(-most, most) as f32);
                let _ = self.live.set_velocity(id, linear, Vec3::from(angular));
            }
            20..28 => self.live.set_velocity(id, Vec3::ZERO, Vec3::ZERO).unwrap(),
            28..36 => {
                let by = self.velocity(1.0) * 0.05;
                let size = self.live.sector_size();
                let [x, y, z] = position.to_metres(size);
                let (x, z) = (x + f64::from(by.x), z + f64::from(by.z));
                let y = y + f64::from(by.y);
                let to = marchland_terrain::WorldPos::from_metres(x, y, z, size).unwrap();
                let turn = Rotation::from_degrees([0.0, self.random.between(-20.0, 20.0), 0.0]);
                let turned = Placement::new(turn.after(placement.rotation()), placement.scale());
                let _ = self.live.move_to(id, to, turned.unwrap(), self.settings.dt);
            }
            _ => {}
        }
    }

    fn excuse_all(&mut self) {
        for known in &mut self.known {
            known.is_told = true;
        }
    }
}
