//! Props listed one by one: the sectors that own them, and their heights.

use glam::Vec3;

use super::error::PlaceError;
use super::placements::order;
use crate::bake::ground::{GroundOf, ground_of};
use crate::bake::props::{PropHeight, PropInput, PropSource};
use crate::bake::threads::in_order;
use crate::grid::Grid;
use crate::heightfield::Ground;
use crate::limits::PROP_HEIGHT_MAX;
use crate::math::{PositionError, SectorCoord, SectorSize, WorldPos};
use crate::props::origin_on_lattice;

/// A listed prop: its index in the input, and the position of its origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedProp {
    pub(super) input: usize,
    pub(super) place: WorldPos,
}

/// Finds the position of each prop, ordered by owner sector and then by input. `sectors` must be in order.
pub(super) fn stand(
    grid: Grid,
    sectors: &[SectorCoord],
    input: &PropInput,
    ground: &GroundOf<'_>,
) -> Result<Vec<ListedProp>, PlaceError> {
    let size = grid.sector_size();
    let mut fixed = Vec::with_capacity(input.props.len());
    let mut standing = Vec::new();
    for (index, prop) in input.props.iter().enumerate() {
        let place = place_in_world(sectors, prop, prop.position, size)?;
        match prop.height {
            PropHeight::At(_) => {}
            PropHeight::AboveGround(_) => standing.push((index, place)),
            PropHeight::AboveGroundAt { at, .. } => {
                standing.push((index, place_in_world(sectors, prop, at, size)?));
            }
        }
        fixed.push(ListedProp { input: index, place });
    }
    let mut under = vec![0.0; input.props.len()];
    for (index, height) in heights(standing, input, ground)? {
        under[index] = height;
    }
    for (one, ground) in fixed.iter_mut().zip(under) {
        let prop = &input.props[one.input];
        let metres = match prop.height {
            PropHeight::At(metres)
            | PropHeight::AboveGround(metres)
            | PropHeight::AboveGroundAt { metres, .. } => metres,
        };
        one.place = raised(prop, one.place, ground + metres, size)?;
    }
    fixed.sort_by_key(|one| order(one.place.sector()));
    Ok(fixed)
}

/// The position of an origin given in world metres, without its height. Fails outside the world's sectors.
fn place_in_world(
    sectors: &[SectorCoord],
    prop: &PropSource,
    [x, z]: [f64; 2],
    size: SectorSize,
) -> Result<WorldPos, PlaceError> {
    let place = || -> Result<WorldPos, PositionError> {
        let near = WorldPos::from_metres(x, 0.0, z, size)?;
        // Rounding may reach the border, which belongs to the next sector.
        WorldPos::new(near.sector(), origin_on_lattice(near.local()), size)
    };
    let name = || prop.name.clone();
    let place = place().map_err(|source| PlaceError::Position { name: name(), source })?;
    let sector = place.sector();
    match sectors.binary_search_by_key(&order(sector), |&coord| order(coord)) {
        Ok(_) => Ok(place),
        Err(_) => Err(PlaceError::OutsideWorld { name: name(), x, z, sector }),
    }
}

/// The height of the ground under each place, with the index of the prop that needs it. Each sector is
/// requested once.
fn heights(
    mut places: Vec<(usize, WorldPos)>,
    input: &PropInput,
    ground: &GroundOf<'_>,
) -> Result<Vec<(usize, f64)>, PlaceError> {
    places.sort_by_key(|(_, place)| order(place.sector()));
    let groups: Vec<&[(usize, WorldPos)]> =
        places.chunk_by(|(_, a), (_, b)| a.sector() == b.sector()).collect();
    let of_group = |group: &[(usize, WorldPos)]| -> Result<Vec<(usize, f64)>, PlaceError> {
        let Some((_, first)) = group.first() else { return Ok(Vec::new()) };
        let sector = ground_of(ground, first.sector())?;
        let field = sector.view().field();
        let height = |&(index, place): &(usize, WorldPos)| {
            let found = match field.ground(place.local().x, place.local().z) {
                Ground::Height(height) => return Ok((index, f64::from(height))),
                Ground::Hole => "a hole",
                Ground::Outside | Ground::NotResident => "outside the world",
            };
            let prop = &input.props[index];
            let [x, z] = match prop.height {
                PropHeight::AboveGroundAt { at, .. } => at,
                _ => prop.position,
            };
            Err(PlaceError::NoGround { name: prop.name.clone(), x, z, found })
        };
        group.iter().map(height).collect()
    };
    Ok(in_order(&groups, &of_group)?.into_iter().flatten().collect())
}

/// A place, moved to a height.
fn raised(
    prop: &PropSource,
    place: WorldPos,
    height: f64,
    size: SectorSize,
) -> Result<WorldPos, PlaceError> {
    let name = || prop.name.clone();
    if !(-PROP_HEIGHT_MAX..=PROP_HEIGHT_MAX).contains(&height) {
        return Err(PlaceError::Height { name: name(), found: height });
    }
    let local = Vec3::new(place.local().x, height as f32, place.local().z);
    WorldPos::new(place.sector(), origin_on_lattice(local), size)
        .map_err(|source| PlaceError::Position { name: name(), source })
}
