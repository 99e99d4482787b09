//! A safe wrapper of the parts of PhysX used here: one scene of static actors, queries of it, and
//! capsule controllers.
#![allow(unsafe_code, reason = "the bindings are C")]

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::MeshSource;
use physx_sys as px;

use crate::memory::Meter;
use crate::scene::{Ground, Prop, Scene};
use crate::setup::{DT, Failure, HEIGHT, RADIUS, STEP};

/// PhysX itself: a process may have only one, and it is never released.
struct Sdk {
    physics: *mut px::PxPhysics,
}

// SAFETY: PhysX allows its SDK object to be used from any thread; here one thread does.
unsafe impl Send for Sdk {}
// SAFETY: as above.
unsafe impl Sync for Sdk {}

/// Bytes before each block that hold its length; PhysX requires alignment to 16.
const HEAD: usize = 16;

/// Allocates blocks for PhysX from the counted heap.
unsafe extern "C" fn allocate(
    size: u64,
    _kind: *const c_void,
    _file: *const c_void,
    _line: u32,
    _user: *const c_void,
) -> *mut c_void {
    let whole = size as usize + HEAD;
    let Ok(layout) = Layout::from_size_align(whole, HEAD) else { return null_mut() };
    // SAFETY: the layout is not empty; its head is written before the block is used.
    unsafe {
        let block = std::alloc::alloc(layout);
        if block.is_null() {
            return null_mut();
        }
        block.cast::<usize>().write(whole);
        block.add(HEAD).cast()
    }
}

/// Frees blocks.
unsafe extern "C" fn free(place: *const c_void, _user: *const c_void) {
    if place.is_null() {
        return;
    }
    // SAFETY: PhysX returns what `allocate` returned, with the head before it.
    unsafe {
        let block = place.cast_mut().cast::<u8>().sub(HEAD);
        let whole = block.cast::<usize>().read();
        std::alloc::dealloc(block, Layout::from_size_align_unchecked(whole, HEAD));
    }
}

fn sdk() -> &'static Sdk {
    static SDK: OnceLock<Sdk> = OnceLock::new();
    SDK.get_or_init(|| {
        // SAFETY: the callbacks fulfil what PhysX requires of an allocator, and live forever.
        unsafe {
            let allocator = px::create_alloc_callback(allocate, free, null_mut());
            let foundation = px::physx_create_foundation_with_alloc(allocator.cast());
            Sdk { physics: px::physx_create_physics(foundation) }
        }
    })
}

/// A scene for PhysX.
pub(super) struct World {
    scene: *mut px::PxScene,
    material: *mut px::PxMaterial,
    field: *mut px::PxHeightField,
    filter: px::PxQueryFilterData,
    half: f32,
    quantum: f32,
    /// Heap bytes of the ground, the meshes and the placed props.
    pub(super) bytes: [i64; 3],
}

impl World {
    pub(super) fn new(from: &Scene) -> Result<Self, Failure> {
        let physics = sdk().physics;
        if physics.is_null() {
            return Err("PhysX did not start".into());
        }
        // SAFETY: the SDK lives; descriptions are made by PhysX and only plain fields are changed.
        let (scene, material, filter) = unsafe {
            let mut desc = px::PxSceneDesc_new(px::PxPhysics_getTolerancesScale(physics));
            desc.cpuDispatcher = px::phys_PxDefaultCpuDispatcherCreate(
                0,
                null_mut(),
                px::PxDefaultCpuDispatcherWaitForWorkMode::WaitForWork,
                0,
            )
            .cast();
            desc.filterShader = px::get_default_simulation_filter_shader();
            // Static bodies never move: use the tree that is built once and is fastest to query.
            desc.staticStructure = px::PxPruningStructureType::StaticAabbTree;
            (
                px::PxPhysics_createScene_mut(physics, &desc),
                px::PxPhysics_createMaterial_mut(physics, 0.5, 0.5, 0.0),
                px::PxQueryFilterData_new_2(px::PxQueryFlags::Static),
            )
        };
        if scene.is_null() {
            return Err("PhysX made no scene".into());
        }
        let mut meter = Meter::of_heap();
        let field = height_field(&from.ground)?;
        let (half, quantum) = (from.ground.half() as f32, from.ground.quantum);
        let mut world = Self { scene, material, field, filter, half, quantum, bytes: [0; 3] };
        world.add_ground(from.ground.spacing);
        world.bytes[0] = meter.lap();
        let meshes = from.meshes.iter().map(triangle_mesh).collect::<Result<Vec<_>, _>>()?;
        world.bytes[1] = meter.lap();
        for prop in &from.props {
            world.add_prop(meshes[prop.mesh], prop);
        }
        // SAFETY: the actors hold references to their meshes; ours is one more reference to each.
        meshes.iter().for_each(|&mesh| unsafe { px::PxTriangleMesh_release_mut(mesh) });
        // The first query builds the tree.
        world.ray_down([0.0, 1000.0, 0.0], 2000.0);
        world.bytes[2] = meter.lap();
        Ok(world)
    }

    fn add_ground(&self, spacing: f32) {
        let place = px::PxVec3 { x: -self.half, y: 0.0, z: -self.half };
        // SAFETY: all objects live; the geometry is copied.
        unsafe {
            let geometry = px::PxHeightFieldGeometry_new(
                self.field,
                px::PxMeshGeometryFlags::empty(),
                self.quantum,
                spacing,
                spacing,
            );
            self.add(&px::PxTransform_new_1(&place), (&raw const geometry).cast());
        }
    }

    fn add_prop(&self, mesh: *mut px::PxTriangleMesh, prop: &Prop) {
        let ([x, y, z], [i, j, k, w]) = (prop.place, prop.turn);
        let pose =
            px::PxTransform { q: px::PxQuat { x: i, y: j, z: k, w }, p: px::PxVec3 { x, y, z } };
        // SAFETY: all objects live; the geometry is copied.
        unsafe {
            let scale = px::PxMeshScale_new();
            let flags = px::PxMeshGeometryFlags::empty();
            let geometry = px::PxTriangleMeshGeometry_new(mesh, &scale, flags);
            self.add(&pose, (&raw const geometry).cast());
        }
    }

    /// Adds a static actor.
    ///
    /// # Safety
    /// `geometry` must point to a valid geometry.
    unsafe fn add(&self, pose: &px::PxTransform, geometry: *const px::PxGeometry) {
        // SAFETY: the SDK, the scene and the material live.
        unsafe {
            let here = px::PxTransform_new_2(px::PxIDENTITY::PxIdentity);
            let physics = sdk().physics;
            let actor = px::phys_PxCreateStatic(physics, pose, geometry, self.material, &here);
            px::PxScene_addActor_mut(self.scene, actor.cast(), null());
        }
    }

    /// The height of the ground, from the height field alone.
    pub(super) fn height(&self, x: f32, z: f32) -> f32 {
        // Rows run along X; both in samples.
        let (row, column) = (x + self.half, z + self.half);
        // SAFETY: the field lives; beyond it the result is 0.
        unsafe { px::PxHeightField_getHeight(self.field, row, column) * self.quantum }
    }

    /// Metres down to the first hit of a ray.
    pub(super) fn ray_down(&self, [x, y, z]: [f32; 3], long: f32) -> Option<f32> {
        let (from, down) = (px::PxVec3 { x, y, z }, px::PxVec3 { x: 0.0, y: -1.0, z: 0.0 });
        let mut hit = std::mem::MaybeUninit::<px::PxRaycastHit>::uninit();
        // SAFETY: the scene lives; the hit is read only if it was written.
        unsafe {
            px::PxSceneQueryExt_raycastSingle(
                self.scene,
                &from,
                &down,
                long,
                px::PxHitFlags::empty(),
                hit.as_mut_ptr(),
                &self.filter,
                null_mut(),
                null(),
            )
            .then(|| hit.assume_init().distance)
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: actors are freed with the scene; each of our references is released once.
        unsafe {
            px::PxScene_release_mut(self.scene);
            px::PxHeightField_release_mut(self.field);
            px::PxRefCounted_release_mut(self.material.cast());
        }
    }
}

/// The ground, its rows along X, with the same diagonals.
fn height_field(ground: &Ground) -> Result<*mut px::PxHeightField, Failure> {
    let side = ground.samples;
    // SAFETY: a sample is plain data, and all zeros are a valid sample.
    let mut samples: Vec<px::PxHeightFieldSample> =
        vec![unsafe { std::mem::zeroed() }; side * side];
    for (index, sample) in samples.iter_mut().enumerate() {
        sample.height = (ground.sample(index / side, index % side) / ground.quantum) as i16;
        // SAFETY: the sample lives.
        unsafe { px::PxHeightFieldSample_setTessFlag_mut(sample) };
    }
    // SAFETY: the description is PhysX's own with our samples, as many as it specifies; they are copied.
    let made = unsafe {
        let mut desc = px::PxHeightFieldDesc_new();
        (desc.nbRows, desc.nbColumns) = (side as u32, side as u32);
        desc.samples.data = samples.as_ptr().cast();
        desc.samples.stride = size_of::<px::PxHeightFieldSample>() as u32;
        let into = px::PxPhysics_getPhysicsInsertionCallback_mut(sdk().physics);
        px::phys_PxCreateHeightField(&desc, into)
    };
    if made.is_null() { Err("PhysX made no height field".into()) } else { Ok(made) }
}

fn triangle_mesh(mesh: &MeshSource) -> Result<*mut px::PxTriangleMesh, Failure> {
    let points: Vec<[f32; 3]> = mesh.vertices.iter().map(Vec3::to_array).collect();
    // SAFETY: the description is PhysX's own with our arrays, as long as it specifies; they are copied.
    let made = unsafe {
        let mut desc = px::PxTriangleMeshDesc_new();
        desc.points.data = points.as_ptr().cast();
        (desc.points.count, desc.points.stride) = (points.len() as u32, 12);
        desc.triangles.data = mesh.triangles.as_ptr().cast();
        (desc.triangles.count, desc.triangles.stride) = (mesh.triangles.len() as u32, 12);
        let physics = sdk().physics;
        let params = px::PxCookingParams_new(px::PxPhysics_getTolerancesScale(physics));
        let into = px::PxPhysics_getPhysicsInsertionCallback_mut(physics);
        px::phys_PxCreateTriangleMesh(&params, &desc, into, null_mut())
    };
    if made.is_null() { Err("PhysX made no mesh".into()) } else { Ok(made) }
}

/// A capsule controller. Each has its own manager, because a move of one visits all controllers of its
/// manager.
pub(super) struct Controller {
    manager: *mut px::PxControllerManager,
    controller: *mut px::PxController,
}

/// Metres that a controller keeps from what is around it. The default of 0.1 m would keep walkers out of
/// doors and gaps that the other contenders pass.
const CONTACT_OFFSET: f32 = 0.02;

impl Controller {
    /// A controller in a scene, which must outlive it; `slope` is the cosine of the slope limit.
    pub(super) fn new(world: &World, [x, y, z]: [f32; 3], slope: f32) -> Result<Self, Failure> {
        // SAFETY: the scene lives; the description is PhysX's own, only plain fields are changed, and it is
        // released after use.
        unsafe {
            let manager = px::phys_PxCreateControllerManager(world.scene, false);
            let desc = px::PxCapsuleControllerDesc_new_alloc();
            (*desc).radius = RADIUS;
            (*desc).height = HEIGHT - 2.0 * RADIUS;
            (*desc).climbingMode = px::PxCapsuleClimbingMode::Constrained;
            (*desc).stepOffset = STEP;
            (*desc).slopeLimit = slope;
            (*desc).contactOffset = CONTACT_OFFSET;
            (*desc).material = world.material;
            let middle = f64::from(y + HEIGHT / 2.0);
            (*desc).position = px::PxExtendedVec3 { x: f64::from(x), y: middle, z: f64::from(z) };
            let controller = px::PxControllerManager_createController_mut(manager, desc.cast());
            px::PxCapsuleControllerDesc_delete(desc);
            if controller.is_null() {
                return Err("PhysX made no controller".into());
            }
            Ok(Self { manager, controller })
        }
    }

    /// Moves by some metres; returns whether it hit something below.
    pub(super) fn go(&mut self, [x, y, z]: [f32; 3]) -> bool {
        // SAFETY: the controller and its scene live.
        unsafe {
            let mut filters = px::PxControllerFilters_new(null(), null_mut(), null_mut());
            // Other controllers' bodies are dynamic and are not hit.
            filters.mFilterFlags = px::PxQueryFlags::Static;
            let way = px::PxVec3 { x, y, z };
            let met =
                px::PxController_move_mut(self.controller, &way, 0.0001, DT, &filters, null());
            met.contains(px::PxControllerCollisionFlags::CollisionDown)
        }
    }

    /// The lowest point of the capsule. Metres.
    pub(super) fn feet(&self) -> [f64; 3] {
        // SAFETY: the controller lives.
        let middle = unsafe { *px::PxController_getPosition(self.controller) };
        [middle.x, middle.y - f64::from(HEIGHT) / 2.0, middle.z]
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        // SAFETY: the manager releases its controller; its scene still lives.
        unsafe { px::PxControllerManager_release_mut(self.manager) };
    }
}
