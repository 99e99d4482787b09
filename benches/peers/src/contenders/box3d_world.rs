//! A scene in Box3D: one height field, a static body for every prop, rays, and the primitives of a mover.
//!
//! Box3D splits a cell along the other diagonal. Its height field is given rotated by a quarter turn, and its
//! body is rotated back: the surfaces are then the same.
#![allow(unsafe_code, reason = "the bindings are C")]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use box3d_sys as b3;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::lesser;
use marchland_terrain::props::MeshSource;

use crate::memory::Meter;
use crate::scene::{Ground, Prop, Scene};
use crate::setup::{Failure, HEIGHT, RADIUS};

/// Planes that a mover keeps; the sample included with Box3D keeps 8.
const PLANES: usize = 32;

/// A scene for Box3D.
pub(super) struct World {
    id: b3::b3WorldId,
    filter: b3::b3QueryFilter,
    mover: b3::b3Capsule,
    ground: *mut b3::b3HeightFieldData,
    meshes: Vec<*mut b3::b3MeshData>,
    /// Heap bytes of the ground, the meshes and the placed props.
    pub(super) bytes: [i64; 3],
}

/// The planes that a mover touches.
pub(super) struct Planes {
    planes: [b3::b3CollisionPlane; PLANES],
    count: usize,
}

impl World {
    /// A scene in a world of its own.
    pub(super) fn new(scene: &Scene) -> Result<Self, Failure> {
        let mut meter = Meter::with(in_use);
        // SAFETY: plain calls; the definition is Box3D's own default.
        let (id, filter) = unsafe {
            let mut definition = b3::b3DefaultWorldDef();
            definition.workerCount = 1;
            (b3::b3CreateWorld(&definition), b3::b3DefaultQueryFilter())
        };
        let mover = b3::b3Capsule {
            center1: vector(Vec3::Y * RADIUS),
            center2: vector(Vec3::Y * (HEIGHT - RADIUS)),
            radius: RADIUS,
        };
        let empty = meter.lap();
        let ground = height_field(&scene.ground)?;
        let mut world = Self { id, filter, mover, ground, meshes: Vec::new(), bytes: [0; 3] };
        world.add_ground(&scene.ground);
        world.bytes[0] = meter.lap();
        for mesh in &scene.meshes {
            world.meshes.push(triangle_mesh(mesh)?);
        }
        world.bytes[1] = meter.lap();
        for prop in &scene.props {
            world.add_prop(prop);
        }
        world.bytes[2] = meter.lap() + empty;
        Ok(world)
    }

    fn add_ground(&self, ground: &Ground) {
        let half = ground.half() as f32;
        let quarter = std::f32::consts::FRAC_1_SQRT_2;
        let body = self.add_body([-half, 0.0, half], [0.0, quarter, 0.0, quarter]);
        // SAFETY: the body was just made; the height field lives as long as the world.
        unsafe { b3::b3CreateHeightFieldShape(body, &b3::b3DefaultShapeDef(), self.ground) };
    }

    fn add_prop(&self, prop: &Prop) {
        let body = self.add_body(prop.place, prop.turn);
        let mesh = self.meshes[prop.mesh];
        // SAFETY: the body was just made; the mesh lives as long as the world.
        unsafe { b3::b3CreateMeshShape(body, &b3::b3DefaultShapeDef(), mesh, vector(Vec3::ONE)) };
    }

    /// Adds a static body; its rotation is x, y, z, w.
    fn add_body(&self, place: [f32; 3], [x, y, z, w]: [f32; 4]) -> b3::b3BodyId {
        // SAFETY: the world is alive, the definition is Box3D's default with another pose.
        unsafe {
            let mut definition = b3::b3DefaultBodyDef();
            definition.position = vector(Vec3::from(place));
            definition.rotation = b3::b3Quat { v: vector(Vec3::new(x, y, z)), s: w };
            b3::b3CreateBody(self.id, &definition)
        }
    }

    /// The fraction of `way` at which a ray first hits something, and the normal there.
    pub(super) fn ray(&self, from: Vec3, way: Vec3) -> Option<(f32, Vec3)> {
        // SAFETY: the world is alive.
        let found =
            unsafe { b3::b3World_CastRayClosest(self.id, vector(from), vector(way), self.filter) };
        let normal = Vec3::new(found.normal.x, found.normal.y, found.normal.z);
        found.hit.then_some((found.fraction, normal))
    }

    /// The fraction of `way` that the mover can move from `feet`.
    pub(super) fn cast(&self, feet: Vec3, way: Vec3) -> f32 {
        // SAFETY: the world is alive, the mover outlives the call, there is no callback.
        unsafe {
            let (feet, way) = (vector(feet), vector(way));
            b3::b3World_CastMover(self.id, feet, &self.mover, way, self.filter, None, null_mut())
        }
    }

    /// The planes that the mover touches at `feet`.
    pub(super) fn touch(&self, feet: Vec3) -> Planes {
        let mut planes = Planes { planes: [b3::b3CollisionPlane::default(); PLANES], count: 0 };
        let context = (&raw mut planes).cast::<c_void>();
        // SAFETY: the world is alive; the callback is given these planes, which outlive the call.
        unsafe {
            let (feet, mover) = (vector(feet), &raw const self.mover);
            b3::b3World_CollideMover(self.id, feet, mover, self.filter, Some(take), context);
        }
        planes
    }
}

impl Planes {
    /// The normals.
    pub(super) fn normals(&self) -> impl Iterator<Item = Vec3> {
        self.planes[..self.count].iter().map(|touched| {
            let normal = touched.plane.normal;
            Vec3::new(normal.x, normal.y, normal.z)
        })
    }

    /// Turns planes steeper than a cosine into walls, except overhangs and level planes. A walker then slides
    /// along them, never up.
    pub(super) fn wall_up(&mut self, cosine: f32) {
        for touched in &mut self.planes[..self.count] {
            let b3::b3Plane { normal, offset } = touched.plane;
            if normal.y > 0.0 && normal.y < cosine {
                let flat = (normal.x * normal.x + normal.z * normal.z).sqrt();
                touched.plane.normal =
                    b3::b3Vec3 { x: normal.x / flat, y: 0.0, z: normal.z / flat };
                touched.plane.offset = offset / flat;
            }
        }
    }

    /// The movement nearest to `way` that satisfies all planes.
    pub(super) fn solve(&mut self, way: Vec3) -> Vec3 {
        let count = self.count as c_int;
        // SAFETY: the array holds at least `count` planes.
        let solved = unsafe { b3::b3SolvePlanes(vector(way), self.planes.as_mut_ptr(), count) };
        Vec3::new(solved.delta.x, solved.delta.y, solved.delta.z)
    }
}

/// Collects the planes of one shape.
unsafe extern "C" fn take(
    _shape: b3::b3ShapeId,
    found: *const b3::b3PlaneResult,
    count: c_int,
    context: *mut c_void,
) -> bool {
    // SAFETY: `touch` passed planes of its own and waits; Box3D passes `count` results.
    let (planes, found) = unsafe {
        let count = usize::try_from(count).unwrap_or(0);
        (&mut *context.cast::<Planes>(), std::slice::from_raw_parts(found, count))
    };
    for result in found {
        if planes.count < PLANES {
            planes.planes[planes.count] = b3::b3CollisionPlane {
                plane: result.plane,
                pushLimit: f32::MAX,
                push: 0.0,
                clipVelocity: true,
            };
            planes.count += 1;
        }
    }
    planes.count < PLANES
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: shapes are freed with the world, and only then the data that they refer to; each is freed
        // once.
        unsafe {
            b3::b3DestroyWorld(self.id);
            b3::b3DestroyHeightField(self.ground);
            for &mesh in &self.meshes {
                b3::b3DestroyMesh(mesh);
            }
        }
    }
}

/// The ground rotated by a quarter turn: see the top of this file.
fn height_field(ground: &Ground) -> Result<*mut b3::b3HeightFieldData, Failure> {
    let samples = ground.samples;
    let mut heights = Vec::with_capacity(samples * samples);
    for row in 0..samples {
        heights.extend((0..samples).map(|column| ground.sample(row, samples - 1 - column)));
    }
    // Heights are stored as 16 bits between two bounds, chosen so that their quantum is ours.
    let lowest = heights.iter().copied().fold(f32::INFINITY, lesser);
    let mut materials = vec![0_u8; (samples - 1) * (samples - 1)];
    let definition = b3::b3HeightFieldDef {
        heights: heights.as_mut_ptr(),
        materialIndices: materials.as_mut_ptr(),
        scale: b3::b3Vec3 { x: ground.spacing, y: 1.0, z: ground.spacing },
        countX: samples as c_int,
        countZ: samples as c_int,
        globalMinimumHeight: lowest,
        globalMaximumHeight: lowest + 65535.0 * ground.quantum,
        clockwiseWinding: false,
    };
    // SAFETY: both arrays have the lengths that the counts specify; Box3D copies them.
    let made = unsafe { b3::b3CreateHeightField(&definition) };
    if made.is_null() { Err("Box3D made no height field".into()) } else { Ok(made) }
}

fn triangle_mesh(mesh: &MeshSource) -> Result<*mut b3::b3MeshData, Failure> {
    let mut vertices: Vec<b3::b3Vec3> = mesh.vertices.iter().map(|&at| vector(at)).collect();
    let mut indices: Vec<i32> =
        mesh.triangles.iter().flatten().map(|&corner| corner as i32).collect();
    let definition = b3::b3MeshDef {
        vertices: vertices.as_mut_ptr(),
        indices: indices.as_mut_ptr(),
        vertexCount: vertices.len() as c_int,
        triangleCount: mesh.triangles.len() as c_int,
        identifyEdges: true,
        ..b3::b3MeshDef::default()
    };
    // SAFETY: both arrays have the lengths that the counts specify; Box3D copies them.
    let made = unsafe { b3::b3CreateMesh(&definition, null_mut(), 0) };
    if made.is_null() { Err("Box3D made no mesh".into()) } else { Ok(made) }
}

fn in_use() -> i64 {
    // SAFETY: reads a counter.
    i64::from(unsafe { b3::b3GetByteCount() })
}

fn vector(from: Vec3) -> b3::b3Vec3 {
    b3::b3Vec3 { x: from.x, y: from.y, z: from.z }
}
