//! A safe wrapper of the parts of Jolt used here: one system of static bodies, rays, and virtual characters.
#![allow(unsafe_code, reason = "the bindings are C")]

use std::ptr::null;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{angle, lesser};
use marchland_terrain::props::MeshSource;
use oxijolt_sys as jph;

use crate::memory::{Meter, c_heap};
use crate::scene::{Ground, Scene};
use crate::setup::{DT, Failure, GRAVITY, HEIGHT, RADIUS, SLOPE_DEGREES, SNAP, STEP};

/// Layers of objects: what stands, and what would move. The character asks without a filter.
const STATIC: jph::JPH_ObjectLayer = 0;
const MOVING: jph::JPH_ObjectLayer = 1;

/// Bytes for what a character looks at in an update.
const SCRATCH: u32 = 10 << 20;

/// A scene for Jolt.
pub(super) struct World {
    system: *mut jph::JPH_PhysicsSystem,
    scratch: *mut jph::JPH_TempAllocator,
    /// Heap bytes of the ground, the meshes and the placed props.
    pub(super) bytes: [i64; 3],
}

/// The library keeps its systems in a map that only one thread may change.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    /// A scene in a system of its own.
    pub(super) fn new(scene: &Scene) -> Result<Self, Failure> {
        static STARTED: OnceLock<bool> = OnceLock::new();
        let guard = alone();
        // SAFETY: the library is started once, by one thread.
        if !STARTED.get_or_init(|| unsafe { jph::JPH_Init() }) {
            return Err("Jolt did not start".into());
        }
        // SAFETY: the library is started.
        let scratch = unsafe { jph::JPH_TempAllocator_Create(SCRATCH) };
        let mut meter = Meter::with(c_heap);
        // SAFETY: the library is started, and this thread is alone with it.
        let system = unsafe { system(scene.props.len() as u32 + 1) };
        drop(guard);
        if system.is_null() || scratch.is_null() {
            return Err("Jolt made no system".into());
        }
        let mut world = Self { system, scratch, bytes: [0; 3] };
        let empty = meter.lap();
        let half = scene.ground.half() as f32;
        let ground = height_field(&scene.ground)?;
        world.add(ground, [-half, 0.0, -half], [0.0, 0.0, 0.0, 1.0]);
        world.bytes[0] = meter.lap();
        let meshes = scene.meshes.iter().map(triangle_mesh).collect::<Result<Vec<_>, _>>()?;
        world.bytes[1] = meter.lap();
        for prop in &scene.props {
            world.add(meshes[prop.mesh], prop.place, prop.turn);
        }
        // SAFETY: bodies hold references to their shapes; ours is one more to each. The system lives.
        unsafe {
            meshes.iter().chain([&ground]).for_each(|&shape| jph::JPH_Shape_Destroy(shape));
            jph::JPH_PhysicsSystem_OptimizeBroadPhase(system);
        }
        world.bytes[2] = meter.lap() + empty;
        Ok(world)
    }

    /// Adds a static body; its rotation is x, y, z, w.
    fn add(&self, shape: *mut jph::JPH_Shape, place: [f32; 3], [x, y, z, w]: [f32; 4]) {
        let (place, turn) = (vector(Vec3::from(place)), jph::JPH_Quat { x, y, z, w });
        // SAFETY: the system and the shape live; the settings are freed when the body is made.
        unsafe {
            let kind = jph::JPH_MotionType_Static;
            let settings =
                jph::JPH_BodyCreationSettings_Create3(shape, &place, &turn, kind, STATIC);
            jph::JPH_BodyInterface_CreateAndAddBody(
                jph::JPH_PhysicsSystem_GetBodyInterface(self.system),
                settings,
                jph::JPH_Activation_DontActivate,
            );
            jph::JPH_BodyCreationSettings_Destroy(settings);
        }
    }

    /// The part of a ray at which it first meets something.
    pub(super) fn ray(&self, from: Vec3, way: Vec3) -> Option<f32> {
        let mut hit =
            jph::JPH_RayCastResult { bodyID: 0, fraction: 1.0 + f32::EPSILON, subShapeID2: 0 };
        // SAFETY: the system lives; no filter lets all pass.
        let is_hit = unsafe {
            jph::JPH_NarrowPhaseQuery_CastRay(
                jph::JPH_PhysicsSystem_GetNarrowPhaseQueryNoLock(self.system),
                &vector(from),
                &vector(way),
                &mut hit,
                null(),
                null(),
                null(),
            )
        };
        is_hit.then_some(hit.fraction)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _guard = alone();
        // SAFETY: bodies are freed with the system; each is freed once.
        unsafe {
            jph::JPH_PhysicsSystem_Destroy(self.system);
            jph::JPH_TempAllocator_Destroy(self.scratch);
        }
    }
}

/// A system for some bodies, all of one broad layer.
///
/// # Safety
/// The library must be started, and no other thread make or free a system.
unsafe fn system(bodies: u32) -> *mut jph::JPH_PhysicsSystem {
    // SAFETY: the tables live, and the system takes them over; zeros stand for defaults.
    unsafe {
        let pairs = jph::JPH_ObjectLayerPairFilterTable_Create(2);
        jph::JPH_ObjectLayerPairFilterTable_EnableCollision(pairs, STATIC, MOVING);
        let broad = jph::JPH_BroadPhaseLayerInterfaceTable_Create(2, 1);
        jph::JPH_BroadPhaseLayerInterfaceTable_MapObjectToBroadPhaseLayer(broad, STATIC, 0);
        jph::JPH_BroadPhaseLayerInterfaceTable_MapObjectToBroadPhaseLayer(broad, MOVING, 0);
        jph::JPH_PhysicsSystem_Create(&jph::JPH_PhysicsSystemSettings {
            maxBodies: bodies,
            maxBodyPairs: 1024,
            maxContactConstraints: 1024,
            broadPhaseLayerInterface: broad,
            objectLayerPairFilter: pairs,
            objectVsBroadPhaseLayerFilter: jph::JPH_ObjectVsBroadPhaseLayerFilterTable_Create(
                broad, 1, pairs, 2,
            ),
            ..std::mem::zeroed()
        })
    }
}

/// The ground, with the same diagonals; heights in 16 bits (8 unless told) of a range that makes their quantum ours.
fn height_field(ground: &Ground) -> Result<*mut jph::JPH_Shape, Failure> {
    let (count, spacing) = (ground.samples as u32, ground.spacing);
    let scale = vector(Vec3::new(spacing, 1.0, spacing));
    let lowest = ground.heights.iter().copied().fold(f32::INFINITY, lesser);
    // SAFETY: there are `count` squared samples; they are copied. The settings are freed when the shape is made.
    let made = unsafe {
        let samples = ground.heights.as_ptr();
        let settings = jph::JPH_HeightFieldShapeSettings_Create(
            samples,
            &vector(Vec3::ZERO),
            &scale,
            count,
            null(),
        );
        jph::JPH_HeightFieldShapeSettings_SetMinHeightValue(settings, lowest);
        let highest = lowest + 65534.0 * ground.quantum;
        jph::JPH_HeightFieldShapeSettings_SetMaxHeightValue(settings, highest);
        jph::JPH_HeightFieldShapeSettings_SetBitsPerSample(settings, 16);
        let made = jph::JPH_HeightFieldShapeSettings_CreateShape(settings);
        jph::JPH_ShapeSettings_Destroy(settings.cast());
        made
    };
    if made.is_null() { Err("Jolt made no height field".into()) } else { Ok(made.cast()) }
}

fn triangle_mesh(mesh: &MeshSource) -> Result<*mut jph::JPH_Shape, Failure> {
    let vertices: Vec<_> = mesh.vertices.iter().map(|&at| vector(at)).collect();
    let triangle = |&[i1, i2, i3]: &[u32; 3]| jph::JPH_IndexedTriangle {
        i1,
        i2,
        i3,
        materialIndex: 0,
        userData: 0,
    };
    let triangles: Vec<_> = mesh.triangles.iter().map(triangle).collect();
    // SAFETY: both arrays have the lengths given; they are copied. The settings are freed when the shape is made.
    let made = unsafe {
        let (points, faces) = (vertices.len() as u32, triangles.len() as u32);
        let settings = jph::JPH_MeshShapeSettings_Create2(
            vertices.as_ptr(),
            points,
            triangles.as_ptr(),
            faces,
        );
        let made = jph::JPH_MeshShapeSettings_CreateShape(settings);
        jph::JPH_ShapeSettings_Destroy(settings.cast());
        made
    };
    if made.is_null() { Err("Jolt made no mesh".into()) } else { Ok(made.cast()) }
}

/// A virtual character with a capsule and otherwise the library's defaults.
pub(super) struct Character(*mut jph::JPH_CharacterVirtual);

impl Character {
    /// A character in a world, which must outlive it; `number` is from 1.
    pub(super) fn new(world: &World, number: u32, feet: Vec3) -> Result<Self, Failure> {
        let place = vector(feet + Vec3::Y * (HEIGHT / 2.0));
        let turn = jph::JPH_Quat { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };
        // SAFETY: the system lives; the character holds a reference to its shape, and ours is given back.
        let made = unsafe {
            let shape = jph::JPH_CapsuleShape_Create(HEIGHT / 2.0 - RADIUS, RADIUS).cast();
            let settings = settings(number, shape);
            let made = jph::JPH_CharacterVirtual_Create(&settings, &place, &turn, 0, world.system);
            jph::JPH_Shape_Destroy(shape);
            made
        };
        if made.is_null() { Err("Jolt made no character".into()) } else { Ok(Self(made)) }
    }

    /// A tick: the velocity is chosen as in the sample included with Jolt, then its extended update steps up, slides
    /// and stays on the floor.
    pub(super) fn tick(&mut self, world: &World, [x, z]: [f32; 2]) {
        let gravity = Vec3::NEG_Y * GRAVITY;
        let settings = jph::JPH_ExtendedUpdateSettings {
            stickToFloorStepDown: vector(Vec3::NEG_Y * SNAP),
            walkStairsStepUp: vector(Vec3::Y * STEP),
            walkStairsMinStepForward: 0.02,
            walkStairsStepForwardTest: 0.15,
            walkStairsCosAngleForwardContact: angle::cos_degrees(75.0) as f32,
            walkStairsStepDownExtra: vector(Vec3::ZERO),
        };
        // SAFETY: the character, its world and the scratch live; no filter lets all pass.
        unsafe {
            let (mut old, mut normal) = (vector(Vec3::ZERO), vector(Vec3::ZERO));
            jph::JPH_CharacterVirtual_GetLinearVelocity(self.0, &mut old);
            jph::JPH_CharacterBase_GetGroundNormal(self.0.cast(), &mut normal);
            let stands = jph::JPH_CharacterBase_GetGroundState(self.0.cast())
                == jph::JPH_GroundState_OnGround
                && !jph::JPH_CharacterBase_IsSlopeTooSteep(self.0.cast(), &normal);
            let fall = if stands { 0.0 } else { old.y };
            let velocity = vector(Vec3::new(x, fall, z) + gravity * DT);
            jph::JPH_CharacterVirtual_SetLinearVelocity(self.0, &velocity);
            jph::JPH_CharacterVirtual_ExtendedUpdate2(
                self.0,
                DT,
                &vector(gravity),
                &settings,
                null(),
                null(),
                null(),
                null(),
                world.scratch,
            );
        }
    }

    /// The lowest point of the capsule. Metres.
    pub(super) fn feet(&self) -> [f64; 3] {
        let mut place = vector(Vec3::ZERO);
        // SAFETY: the character lives.
        unsafe { jph::JPH_CharacterVirtual_GetPosition(self.0, &mut place) };
        [place.x, place.y - HEIGHT / 2.0, place.z].map(f64::from)
    }
}

impl Drop for Character {
    fn drop(&mut self) {
        // SAFETY: it is freed once; its world still lives.
        unsafe { jph::JPH_CharacterBase_Destroy(self.0.cast()) };
    }
}

/// The library's defaults for a shape, but for the slope limit.
fn settings(number: u32, shape: *const jph::JPH_Shape) -> jph::JPH_CharacterVirtualSettings {
    let up = vector(Vec3::Y);
    jph::JPH_CharacterVirtualSettings {
        base: jph::JPH_CharacterBaseSettings {
            up,
            supportingVolume: jph::JPH_Plane { normal: up, distance: -1.0e10 },
            maxSlopeAngle: angle::radians(SLOPE_DEGREES) as f32,
            enhancedInternalEdgeRemoval: false,
            shape,
        },
        ID: number,
        mass: 70.0,
        maxStrength: 100.0,
        shapeOffset: vector(Vec3::ZERO),
        backFaceMode: jph::JPH_BackFaceMode_CollideWithBackFaces,
        predictiveContactDistance: 0.1,
        maxCollisionIterations: 5,
        maxConstraintIterations: 15,
        minTimeRemaining: 1.0e-4,
        collisionTolerance: 1.0e-3,
        characterPadding: 0.02,
        maxNumHits: 256,
        hitReductionCosMaxAngle: 0.999,
        penetrationRecoverySpeed: 1.0,
        innerBodyShape: null(),
        innerBodyIDOverride: u32::MAX,
        innerBodyLayer: STATIC,
    }
}

fn vector(from: Vec3) -> jph::JPH_Vec3 {
    jph::JPH_Vec3 { x: from.x, y: from.y, z: from.z }
}
