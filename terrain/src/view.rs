//! The view that a tick borrows: the sectors in memory, queried as one surface.

use glam::Vec3;

use crate::grid::Grid;
use crate::heightfield::{CellCorners, Ground, HeightfieldView, SurfaceId};
use crate::math::{SectorCoord, WorldPos};
use crate::props::LiveProps;
use crate::resident::{ResidentSectors, SectorSlot, SectorState};

/// The world as it is in memory, immutable while it is borrowed. Cheap to copy and usable from any thread.
///
/// Positions must be made for this world's sector size. A position made for a different size denotes a
/// different place: the sector with the same coordinates, and in it the point given by the local part. That
/// point is outside the world if it lies beyond the sector's square.
///
/// ```
/// use marchland_terrain::{Raycast, WorldPos, glam::Vec3};
/// # use marchland_terrain::{Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, format};
/// # let grid = Grid::new(1.0, 64.0, 1.0 / 256.0)?;
/// # let flat = format::encode(SectorCoord::new(0, 0), &SectorData::from_fn(grid, |_, _| 0.0)?);
/// # let world = ResidentSectors::endless(LoadedSector::new(flat.bytes)?.into()); // level at 0 m
/// let view = world.view();
/// let eye = WorldPos::from_metres(3.0, 2.0, 0.0, grid.sector_size())?;
/// assert_eq!(view.on_ground(eye), Some(eye.at_height(0.0)?));
/// let Raycast::Hit(hit) = view.raycast(eye, Vec3::new(3.0, -4.0, 0.0), 10.0)? else { panic!() };
/// assert!((hit.distance - 2.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TerrainView<'a> {
    sectors: &'a ResidentSectors,
    live: Option<&'a LiveProps>,
}

impl<'a> TerrainView<'a> {
    pub(crate) fn new(sectors: &'a ResidentSectors) -> Self {
        Self { sectors, live: None }
    }

    /// The borrowed sectors.
    #[inline]
    pub(crate) fn sectors(self) -> &'a ResidentSectors {
        self.sectors
    }

    /// The same world with live props added to the baked ones.
    ///
    /// # Panics
    /// If the live props belong to a world with a different sector size.
    #[must_use]
    pub fn with_live(self, live: &'a LiveProps) -> Self {
        let (here, there) = (self.grid().sector_size(), live.sector_size());
        assert_eq!(here, there, "live props of a world with sectors of another size");
        Self { live: Some(live), ..self }
    }

    /// The same world without live props.
    #[must_use]
    #[inline]
    pub fn without_live(self) -> Self {
        Self { live: None, ..self }
    }

    /// The live props of this view, if it has any.
    #[must_use]
    #[inline]
    pub fn live(self) -> Option<&'a LiveProps> {
        self.live
    }

    /// The grid that all sectors share.
    #[must_use]
    pub fn grid(self) -> Grid {
        self.sectors.grid()
    }

    /// The state of a sector: in memory, not in memory, or not part of the world.
    #[must_use]
    #[inline]
    pub fn sector(self, coord: SectorCoord) -> SectorState<'a> {
        self.sectors.state(coord)
    }

    /// The slot of a sector in memory. It stays the sector's own until the sector [changes](Self::changed_since).
    #[doc(hidden)]
    #[must_use]
    pub fn sector_slot(self, coord: SectorCoord) -> Option<SectorSlot> {
        self.sectors.slot(coord)
    }

    /// The corners of the cells of the sector in a slot; `None` if there is none. The data is also available from
    /// [`sector`](Self::sector), but this takes a fraction of the time when many sectors are read.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn cell_corners(self, slot: SectorSlot) -> Option<CellCorners<'a>> {
        self.sectors.cell_corners(slot)
    }

    /// A number that changes whenever the state of any sector changes. Data read from sectors stays valid
    /// while this number stays the same. Live props do not affect it.
    #[must_use]
    pub fn revision(self) -> u64 {
        self.sectors.revision()
    }

    /// How many sectors were put into memory: an [endless](ResidentSectors::endless) one does not count.
    #[must_use]
    pub fn resident_count(self) -> usize {
        self.sectors.resident().len()
    }

    /// The sectors whose state has changed since the world had a [revision](Self::revision), in the order of the
    /// changes, some more than once. `None` if any sector may have changed: the revision is of another world, or too
    /// much has happened since.
    #[must_use]
    pub fn changed_since(
        self,
        revision: u64,
    ) -> Option<impl Iterator<Item = SectorCoord> + use<'a>> {
        self.sectors.changed_since(revision)
    }

    /// A number that distinguishes the sector at a place from all others ever brought into memory; `None`
    /// where the sector is not resident. It has no meaning in another run of the program.
    #[doc(hidden)]
    #[must_use]
    pub fn sector_stamp(self, coord: SectorCoord) -> Option<u64> {
        self.sectors.stamp(coord)
    }

    /// Whether a sector is not resident because its last load failed.
    #[must_use]
    pub fn has_failed(self, coord: SectorCoord) -> bool {
        self.sectors.has_failed(coord)
    }

    /// The ground at a position, whatever its height. Props do not count: for the floor of a bridge or a
    /// house, cast a [ray](Self::raycast) down or query [`Solids`](crate::query::Solids) for a support.
    #[must_use]
    pub fn ground(self, position: WorldPos) -> Ground {
        let local = position.local();
        match self.sector(position.sector()) {
            SectorState::Resident(sector) => sector.field().ground(local.x, local.z),
            SectorState::NotResident => Ground::NotResident,
            SectorState::Outside => Ground::Outside,
        }
    }

    /// The position at the same x and z on the [ground](Self::ground), where units and props are placed;
    /// `None` without resident ground. Props do not count.
    ///
    /// ```
    /// # use marchland_terrain::{Grid, LoadedSector, ResidentSectors, SectorCoord, SectorData, WorldPos, format};
    /// # let grid = Grid::new(1.0, 8.0, 1.0 / 256.0)?;
    /// # let slope = SectorData::from_fn(grid, |x, _| x * 0.5)?;
    /// # let file = format::encode(SectorCoord::new(0, 0), &slope);
    /// # let sectors = ResidentSectors::endless(LoadedSector::new(file.bytes)?.into());
    /// # let view = sectors.view();
    /// let camp = WorldPos::from_metres(3.0, 0.0, -1.0, view.grid().sector_size())?;
    /// let feet = view.on_ground(camp).ok_or("no ground at the camp")?;
    /// assert_eq!((feet.local().x, feet.local().y), (3.0, 1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_ground(self, position: WorldPos) -> Option<WorldPos> {
        position.at_height(self.ground(position).height()?).ok()
    }

    /// The unit normal of the triangle at a position; `None` without resident ground.
    #[must_use]
    pub fn face_normal(self, position: WorldPos) -> Option<Vec3> {
        self.field(position)?.face_normal(position.local().x, position.local().z)
    }

    /// A unit normal that changes smoothly; `None` without resident ground.
    #[must_use]
    pub fn smooth_normal(self, position: WorldPos) -> Option<Vec3> {
        self.field(position)?.smooth_normal(position.local().x, position.local().z)
    }

    /// Rise over run of the triangle at a position; `None` without resident ground.
    #[must_use]
    pub fn slope(self, position: WorldPos) -> Option<f32> {
        self.field(position)?.slope(position.local().x, position.local().z)
    }

    /// The surface at a position; `None` without resident ground.
    #[must_use]
    pub fn surface(self, position: WorldPos) -> Option<SurfaceId> {
        self.field(position)?.surface(position.local().x, position.local().z)
    }

    /// The ground at each position, as [`ground`](Self::ground): props do not count. As in all queries over
    /// slices, a position in the same sector as the previous one takes less time.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn grounds(self, positions: &[WorldPos], out: &mut [Ground]) {
        self.fill(positions, out, |state, local| match state {
            SectorState::Resident(sector) => sector.field().ground(local.x, local.z),
            SectorState::NotResident => Ground::NotResident,
            SectorState::Outside => Ground::Outside,
        });
    }

    /// The unit normal of the triangle at each position, as [`face_normal`](Self::face_normal).
    pub fn face_normals(self, positions: &[WorldPos], out: &mut [Option<Vec3>]) {
        self.fill_ground(positions, out, HeightfieldView::face_normal);
    }

    /// A normal that changes smoothly, as [`smooth_normal`](Self::smooth_normal).
    pub fn smooth_normals(self, positions: &[WorldPos], out: &mut [Option<Vec3>]) {
        self.fill_ground(positions, out, HeightfieldView::smooth_normal);
    }

    /// Rise over run at each position, as [`slope`](Self::slope).
    pub fn slopes(self, positions: &[WorldPos], out: &mut [Option<f32>]) {
        self.fill_ground(positions, out, HeightfieldView::slope);
    }

    /// The surface at each position, as [`surface`](Self::surface).
    pub fn surfaces(self, positions: &[WorldPos], out: &mut [Option<SurfaceId>]) {
        self.fill_ground(positions, out, HeightfieldView::surface);
    }

    fn fill_ground<T>(
        self,
        positions: &[WorldPos],
        out: &mut [Option<T>],
        ask: impl Fn(&HeightfieldView<'a>, f32, f32) -> Option<T>,
    ) {
        self.fill(positions, out, |state, local| match state {
            SectorState::Resident(sector) => ask(&sector.field(), local.x, local.z),
            SectorState::NotResident | SectorState::Outside => None,
        });
    }

    /// Looks up a sector only if it differs from that of the previous position.
    fn fill<T>(
        self,
        positions: &[WorldPos],
        out: &mut [T],
        ask: impl Fn(&SectorState<'a>, Vec3) -> T,
    ) {
        assert_eq!(positions.len(), out.len(), "slices of different lengths");
        let mut sector: Option<(SectorCoord, SectorState<'a>)> = None;
        for (position, out) in positions.iter().zip(out) {
            let coord = position.sector();
            let (_, state) = match &mut sector {
                Some(same) if same.0 == coord => same,
                other => other.insert((coord, self.sector(coord))),
            };
            *out = ask(state, position.local());
        }
    }

    fn field(self, position: WorldPos) -> Option<HeightfieldView<'a>> {
        match self.sector(position.sector()) {
            SectorState::Resident(sector) => Some(sector.field()),
            SectorState::NotResident | SectorState::Outside => None,
        }
    }
}

impl ResidentSectors {
    /// The view that a tick or a query borrows.
    #[must_use]
    pub fn view(&self) -> TerrainView<'_> {
        TerrainView::new(self)
    }
}

const _: () = {
    const fn shared<T: Copy + Send + Sync>() {}
    shared::<TerrainView<'static>>();
};
