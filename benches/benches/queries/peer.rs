//! The town as a user of parry would build it: one height field, a triangle mesh for each of the
//! sixteen meshes, two thousand instances of them with poses, and a tree of bounding volumes over all
//! of that. Rapier's query pipeline is equivalent.

use marchland_benches::sure;
use marchland_terrain::bake::props::PropInput;
use marchland_terrain::glam::DVec3;
use marchland_worlds::town::{self, MESHES, Town};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::details::NormalConstraints;
use parry3d::query::{Contact, DefaultQueryDispatcher, Ray, ShapeCastOptions, contact};
use parry3d::shape::{
    CompositeShape, CompositeShapeRef, Cylinder, HeightField, HeightFieldCellStatus, Shape,
    SharedShape, TriMesh, TypedCompositeShape,
};
use parry3d::utils::Array2;

/// All solids, as parry shapes.
pub(crate) struct Peer {
    tree: Bvh,
    parts: Vec<(Pose, SharedShape)>,
}

impl Peer {
    /// The same town, in metres from the middle of the world, where parry is most precise.
    pub(crate) fn new(town: &Town, middle: DVec3) -> Self {
        let mut parts = vec![(Pose::identity(), SharedShape::new(height_field(town)))];
        parts.extend(props(town, middle));
        let boxes = parts.iter().map(|(pose, shape)| shape.compute_aabb(pose)).enumerate();
        let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
        Self { tree, parts }
    }

    /// Metres along `way` to the first hit of a cylinder whose middle is at `middle`.
    pub(crate) fn sweep(
        &self,
        body: &Cylinder,
        middle: Vector,
        way: Vector,
        most: f32,
    ) -> Option<f32> {
        let pose = Pose::from_translation(middle);
        let options = ShapeCastOptions::with_max_time_of_impact(most);
        let whole = CompositeShapeRef(self);
        let hit = whole.cast_shape(&DefaultQueryDispatcher, &pose, way, body, options);
        hit.map(|(_, hit)| hit.time_of_impact)
    }

    /// The contacts of a cylinder, one for each part that it overlaps.
    pub(crate) fn overlap(&self, body: &Cylinder, middle: Vector, contacts: &mut Vec<Contact>) {
        contacts.clear();
        let pose = Pose::from_translation(middle);
        let around = body.compute_aabb(&pose);
        for part in self.tree.intersect_aabb(&around) {
            let (at, shape) = &self.parts[part as usize];
            if let Ok(Some(found)) = contact(&pose, body, at, &**shape, 0.0) {
                contacts.push(found);
            }
        }
    }

    /// Metres along a ray to its first hit.
    pub(crate) fn ray(&self, origin: Vector, direction: Vector, most: f32) -> Option<f32> {
        let ray = Ray::new(origin, direction);
        CompositeShapeRef(self).cast_local_ray(&ray, most, false).map(|(_, distance)| distance)
    }
}

/// The ground as baked: heights at multiples of the quantum, the same diagonal.
fn height_field(town: &Town) -> HeightField {
    let quantum = f64::from(town.grid.quantum());
    let heights = town::heights();
    let columns = heights.columns;
    let mut stored = Array2::zeros(heights.rows, columns);
    for (at, metres) in heights.values.iter().enumerate() {
        let height = (metres / quantum).round_ties_even() * quantum;
        stored[(at / columns, at % columns)] = height as f32;
    }
    let side = (town::HIGH - town::LOW) as f32;
    let mut field = HeightField::new(stored, Vector::new(side, 1.0, side));
    for row in 0..heights.rows - 1 {
        for column in 0..columns - 1 {
            field.set_cell_status(row, column, HeightFieldCellStatus::ZIGZAG_SUBDIVISION);
        }
    }
    field
}

/// One triangle mesh for all instances of a mesh at one scale: a pose has no scale.
fn props(town: &Town, middle: DVec3) -> Vec<(Pose, SharedShape)> {
    let PropInput { props, .. } = &town.props;
    assert_eq!(props.len(), town.placements.props().len());
    let side = f64::from(town.grid.sector_size().metres());
    let mut shared: Vec<(u32, u32, SharedShape)> = Vec::new();
    let mut parts = Vec::with_capacity(props.len());
    for prop in town.placements.props() {
        let scale = prop.placement.scale();
        let key = (prop.mesh, scale.to_bits());
        let known = shared.iter().find(|(mesh, bits, _)| (*mesh, *bits) == key);
        let shape = match known {
            Some((_, _, shape)) => shape.clone(),
            None => {
                let source = MESHES[prop.mesh as usize].source();
                let vertices = source.vertices.iter().map(|corner| *corner * scale);
                let mesh = sure(TriMesh::new(vertices.collect(), source.triangles));
                let shape = SharedShape::new(mesh);
                shared.push((prop.mesh, scale.to_bits(), shape.clone()));
                shape
            }
        };
        let sector = DVec3::new(f64::from(prop.sector.x), 0.0, f64::from(prop.sector.z)) * side;
        let origin = (sector + prop.position.as_dvec3() - middle).as_vec3();
        let [x, y, z, w] = prop.placement.rotation().quaternion();
        parts.push((Pose::from_parts(origin, Rotation::from_xyzw(x, y, z, w)), shape));
    }
    parts
}

impl CompositeShape for Peer {
    fn map_part_at(
        &self,
        shape_id: u32,
        f: &mut dyn FnMut(Option<&Pose>, &dyn Shape, Option<&dyn NormalConstraints>),
    ) {
        if let Some((pose, shape)) = self.parts.get(shape_id as usize) {
            f(Some(pose), &**shape, None);
        }
    }

    fn bvh(&self) -> &Bvh {
        &self.tree
    }
}

impl TypedCompositeShape for Peer {
    type PartShape = dyn Shape;
    type PartNormalConstraints = dyn NormalConstraints;

    fn map_typed_part_at<T>(
        &self,
        shape_id: u32,
        mut f: impl FnMut(Option<&Pose>, &dyn Shape, Option<&dyn NormalConstraints>) -> T,
    ) -> Option<T> {
        self.parts.get(shape_id as usize).map(|(pose, shape)| f(Some(pose), &**shape, None))
    }

    fn map_untyped_part_at<T>(
        &self,
        shape_id: u32,
        f: impl FnMut(Option<&Pose>, &dyn Shape, Option<&dyn NormalConstraints>) -> T,
    ) -> Option<T> {
        self.map_typed_part_at(shape_id, f)
    }
}
