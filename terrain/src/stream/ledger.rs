//! Accounts for the bytes in memory: sectors, and the meshes that they share, each mesh once.

use std::collections::BTreeMap;

use crate::format::LoadedSector;
use crate::props::MeshHash;

#[derive(Debug, Default)]
pub(super) struct Ledger {
    sector_bytes: u64,
    mesh_bytes: u64,
    /// For each mesh, how many sectors use it, and its bytes.
    meshes: BTreeMap<MeshHash, (u32, u64)>,
}

impl Ledger {
    /// Counts a sector that enters memory.
    pub(super) fn add(&mut self, sector: &LoadedSector) {
        self.sector_bytes += sector.len_bytes() as u64;
        for mesh in sector.meshes() {
            let bytes = mesh.len_bytes() as u64;
            let (users, _) = self.meshes.entry(mesh.hash()).or_insert((0, bytes));
            if *users == 0 {
                self.mesh_bytes += bytes;
            }
            *users += 1;
        }
    }

    /// Counts a sector that leaves memory. It must have been counted when it entered.
    pub(super) fn remove(&mut self, sector: &LoadedSector) {
        self.sector_bytes -= sector.len_bytes() as u64;
        for mesh in sector.meshes() {
            let Some((users, bytes)) = self.meshes.get_mut(&mesh.hash()) else { continue };
            *users -= 1;
            if *users == 0 {
                self.mesh_bytes -= *bytes;
                self.meshes.remove(&mesh.hash());
            }
        }
    }

    /// Whether a sector in memory uses a mesh.
    pub(super) fn has_mesh(&self, mesh: MeshHash) -> bool {
        self.meshes.contains_key(&mesh)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.sector_bytes + self.mesh_bytes
    }

    pub(super) fn mesh_bytes(&self) -> u64 {
        self.mesh_bytes
    }
}
