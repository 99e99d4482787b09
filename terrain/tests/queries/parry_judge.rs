//! One case asked of ours and of parry, and the judge between the two.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::props::{LiveProp, LiveProps, MeshSource, PreparedMesh};
use marchland_terrain::query::{ALL_LAYERS, Contacts, Cylinder, Seams, Solids, SupportBy, Sweep};
use marchland_terrain::{Collision, Grid, ResidentSectors, SectorCoord};
use parry3d::math::Pose;
use parry3d::query::{ShapeCastOptions, ShapeCastStatus, cast_shapes, contact, intersection_test};
use parry3d::shape::{Cylinder as PeerCylinder, Triangle as PeerTriangle};

use super::brute::{lacks, lacks_on_the_way};
use super::parry_cases::Case;
use super::scene::{Scene, loaded};

/// How much the body of ours may differ: far more than the lattice and `f32` answers make of it, far
/// less than anybody sees. Metres.
const SLACK: f64 = 1e-4;
/// How much that of parry may. It reckons in `f32`, and its iterations end at some 1e-6 of what they
/// look at: over 10 m that is 1e-5 m, and a few of them follow each other. Metres.
const PEER_SLACK: f64 = 1e-3;

/// A world without sectors, and one triangle in it.
pub(crate) struct Stage {
    scene: Scene,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let grid = Grid::new(1.0, 16.0, 1.0 / 256.0).unwrap();
        let live = LiveProps::new(grid.sector_size());
        let middle = SectorCoord::new(12, -900);
        Self { scene: Scene { middle, sectors: ResidentSectors::new(grid), live } }
    }

    /// Puts the triangle of a case; gives its corners as they came to lie, or nothing where preparing
    /// a mesh drops it.
    fn set(&mut self, corners: [Vec3; 3]) -> Option<[Vec3; 3]> {
        let mesh = MeshSource { vertices: corners.to_vec(), triangles: vec![[0, 1, 2]] };
        PreparedMesh::new(&mesh).ok()?;
        self.scene.live = LiveProps::new(self.scene.sectors.grid().sector_size());
        let mut prop = LiveProp::new(loaded(&mesh), self.scene.at(Vec3::ZERO));
        prop.collision = Collision::Soup;
        self.scene.live.add(prop).unwrap();
        let prop = self.scene.live.iter().next().unwrap();
        Some(prop.mesh().triangle(0).map(|vertex| prop.placer().place(vertex)))
    }

    fn solids(&self) -> Solids<'_> {
        self.scene.view().solids(ALL_LAYERS).with_seams(Seams::Raw)
    }
}

/// The same case for parry, and the judge's view of it.
struct Peer {
    cylinder: PeerCylinder,
    middle: Pose,
    triangle: PeerTriangle,
}

impl Peer {
    fn new(case: &Case) -> Self {
        let half = case.body.height * 0.5;
        let [a, b, c] = case.corners;
        Self {
            cylinder: PeerCylinder::new(half, case.body.radius),
            middle: Pose::from_translation(case.feet + Vec3::Y * half),
            triangle: PeerTriangle::new(a, b, c),
        }
    }

    /// The time of impact, and whether it says to begin in it; nothing if it meets nothing.
    fn cast(&self, motion: Vec3) -> Option<(f64, bool)> {
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let none = Pose::identity();
        let hit = cast_shapes(
            &self.middle,
            motion,
            &self.cylinder,
            &none,
            Vec3::ZERO,
            &self.triangle,
            options,
        )
        .unwrap()?;
        let begins = hit.status == ShapeCastStatus::PenetratingOrWithinTargetDist;
        Some((f64::from(hit.time_of_impact), begins))
    }
}

/// What is counted of a question about a kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    pub(crate) asked: u32,
    /// Cases in which the answer is yes: there is something to be wrong about.
    pub(crate) yes: u32,
    /// Where parry says no and it is so that something is there.
    missed: u32,
    /// Where parry says yes to nothing, or too early.
    invented: u32,
    /// Where it names a place or a way that is not right.
    misplaced: u32,
}

impl Count {
    pub(crate) fn add(&mut self, how: &str) {
        match how {
            "missed" => self.missed += 1,
            "invented" => self.invented += 1,
            _ => self.misplaced += 1,
        }
    }

    pub(crate) fn wrong(&self) -> u32 {
        self.missed + self.invented + self.misplaced
    }
}

pub(crate) const QUESTIONS: [&str; 5] = ["intersection", "contact", "cast", "disc down", "disc up"];

struct Judged<'a> {
    case: &'a Case,
    /// From the feet.
    corners: [DVec3; 3],
}

impl Judged<'_> {
    fn overlaps(&self, body: Cylinder, by: f64) -> bool {
        lacks(&self.corners, body, by, DVec3::ZERO) <= 0.0
    }

    /// Whether a body is free up to a part of its motion and touches the triangle there; or, for
    /// nothing, is free all the way.
    fn is_first(&self, hit: Option<f64>, slack: f64) -> Result<(), &'static str> {
        let (body, motion) = (self.case.body, self.case.motion.as_dvec3());
        let until = hit.unwrap_or(1.0);
        if lacks_on_the_way(&self.corners, body, -slack, motion, until) < 0.0 {
            return Err("missed");
        }
        match hit {
            Some(time) if lacks(&self.corners, body, slack, motion * time) > 0.0 => Err("invented"),
            _ => Ok(()),
        }
    }
}

/// Where parry is wrong, said of a case.
pub(crate) type Wrong = Option<(&'static str, String)>;

fn check_overlap(stage: &Stage, judged: &Judged<'_>, counts: &mut [Count; 5]) -> [Wrong; 2] {
    let case = judged.case;
    let mut contacts = Contacts::with_capacity(8);
    stage.solids().overlap(case.body, stage.scene.at(case.feet), &mut contacts).unwrap();
    assert!(contacts.as_slice().len() <= 1);
    let ours = contacts.as_slice().first();
    let (surely, maybe) = (judged.overlaps(case.body, -SLACK), judged.overlaps(case.body, SLACK));
    assert!(!surely || ours.is_some(), "not found: {case:?}");
    assert!(maybe || ours.is_none(), "not there: {ours:?}, {case:?}");
    if let Some(found) = ours {
        let way = found.normal.as_dvec3() * f64::from(found.depth);
        assert!(lacks(&judged.corners, case.body, -SLACK, way) >= 0.0, "{found:?}, {case:?}");
    }
    let peer = Peer::new(case);
    let wrong = |says: bool| {
        if says && !judged.overlaps(case.body, PEER_SLACK) {
            Some(("invented", format!("{case:?}")))
        } else if !says
            && case.body.radius > 4.0 * PEER_SLACK as f32
            && judged.overlaps(case.body, -PEER_SLACK)
        {
            Some(("missed", format!("{case:?}")))
        } else {
            None
        }
    };
    let none = Pose::identity();
    let says = intersection_test(&peer.middle, &peer.cylinder, &none, &peer.triangle).unwrap();
    let first = wrong(says.intersecting);
    let found = contact(&peer.middle, &peer.cylinder, &none, &peer.triangle, 0.0).unwrap();
    let mut second = wrong(found.is_some_and(|found| found.dist <= 0.0));
    if let Some(found) = found.filter(|found| second.is_none() && found.dist < 0.0) {
        // Parry's first normal leads from the body to the triangle.
        let way = -found.normal1.as_dvec3() * f64::from(-found.dist);
        let lacks = lacks(&judged.corners, case.body, -PEER_SLACK, way);
        if lacks < 0.0 {
            second = Some(("misplaced", format!("{found:?} leaves {lacks}: {case:?}")));
        }
    }
    for count in counts.iter_mut().take(2) {
        count.asked += 1;
        count.yes += u32::from(surely);
    }
    [first, second]
}

fn check_sweep(stage: &Stage, judged: &Judged<'_>, count: &mut Count) -> Wrong {
    let case = judged.case;
    let at = stage.scene.at(case.feet);
    let found = stage.solids().sweep(case.body, at, case.motion).unwrap();
    let ours = match found {
        Sweep::Overlapping(_) => {
            assert!(judged.overlaps(case.body, SLACK), "{found:?}, {case:?}");
            None
        }
        Sweep::Hit(hit) => {
            let judged = judged.is_first(Some(hit.time), SLACK);
            assert_eq!(judged, Ok(()), "{found:?}, {case:?}");
            Some(hit.time)
        }
        Sweep::Free => {
            assert_eq!(judged.is_first(None, SLACK), Ok(()), "{found:?}, {case:?}");
            None
        }
    };
    let peer = Peer::new(case).cast(case.motion);
    if matches!(found, Sweep::Overlapping(_)) || judged.overlaps(case.body, PEER_SLACK) {
        return None; // asked of the others
    }
    count.asked += 1;
    count.yes += u32::from(ours.is_some());
    let motion = case.motion.as_dvec3().length();
    // What parry rounds of a long way.
    let slack = PEER_SLACK + motion * 1e-6;
    match judged.is_first(peer.map(|(time, _)| time), slack) {
        Ok(()) => None,
        Err(how) => Some((how, format!("{peer:?}, ours {ours:?}: {case:?}"))),
    }
}

fn check_disc(stage: &Stage, judged: &Judged<'_>, up: bool, count: &mut Count) -> Wrong {
    let case = judged.case;
    let (way, at) = (3.0_f32, stage.scene.at(case.feet));
    // A flat body that begins clear of the triangle: its first height is the answer.
    let thin = Cylinder { height: 0.05, ..case.body };
    let begin = Case { body: thin, motion: Vec3::Y * if up { way } else { -way }, ..*case };
    if judged.overlaps(thin, PEER_SLACK) {
        return None;
    }
    let ours = if up {
        let found = stage.solids().ceiling(thin, at, way + thin.height).unwrap();
        found.map(|found| (f64::from(found.clearance) - f64::from(thin.height)) / f64::from(way))
    } else {
        let found = stage.solids().support(thin, at, -way, 0.0, SupportBy::All).unwrap();
        found.map(|found| -f64::from(found.point.y) / f64::from(way))
    };
    let judged = Judged { case: &begin, corners: judged.corners };
    assert_eq!(judged.is_first(ours, SLACK), Ok(()), "up {up}: {ours:?}, {begin:?}");
    count.asked += 1;
    count.yes += u32::from(ours.is_some());
    let peer = Peer::new(&begin).cast(begin.motion);
    match judged.is_first(peer.map(|(time, _)| time), PEER_SLACK) {
        Ok(()) => None,
        Err(how) => Some((how, format!("{peer:?}, ours {ours:?}: {begin:?}"))),
    }
}

/// All questions about one case; where parry is wrong.
pub(crate) fn ask(stage: &mut Stage, mut case: Case, counts: &mut [Count; 5]) -> [Wrong; 5] {
    let Some(corners) = stage.set(case.corners) else { return [None, None, None, None, None] };
    case.corners = corners;
    let corners = corners.map(|corner| corner.as_dvec3() - case.feet.as_dvec3());
    let judged = Judged { case: &case, corners };
    let [first, second] = check_overlap(stage, &judged, counts);
    [
        first,
        second,
        check_sweep(stage, &judged, &mut counts[2]),
        check_disc(stage, &judged, false, &mut counts[3]),
        check_disc(stage, &judged, true, &mut counts[4]),
    ]
}
