//! Writes a world of many gigabytes to stream from: `vast_world OUT.world [--gigabytes N]`, by default 4 GiB;
//! a square of sectors around (0, 0). An interrupted run continues where it stopped.

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;

use marchland_terrain::format::MeshUse;
use marchland_terrain::store::{BakeRecord, WorldFacts, WorldWriter};
use marchland_terrain::{SectorCoord, bake};
use marchland_worlds::vast::{SURFACE_NAMES, Vast};
use rayon::prelude::*;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let (out, gigabytes) = words()?;
    let vast = Vast::new()?;
    let writer = WorldWriter::begin(&out)?;
    let put = |mesh: &marchland_terrain::props::PreparedMesh| -> Result<MeshUse, Failure> {
        let (hash, _) = writer.put_mesh(&mesh.encode())?;
        Ok(MeshUse { hash, bounds: mesh.bounds() })
    };
    let meshes = vast.meshes().iter().map(put).collect::<Result<Vec<_>, _>>()?;
    let sectors = square(&vast, &meshes, gigabytes)?;
    sectors.par_iter().try_for_each(|&coord| -> Result<(), Failure> {
        writer.put(&vast.sector(coord, &meshes)?)?;
        Ok(())
    })?;
    let names = SURFACE_NAMES.map(str::to_owned).to_vec();
    let facts = WorldFacts { grid: vast.grid(), surface_names: names };
    let settings = format!("vast world of {} sectors", sectors.len());
    let record = BakeRecord { bake_version: bake::BAKE_VERSION, sources: Vec::new(), settings };
    writer.finish(&facts, &record)?;
    Ok(())
}

fn words() -> Result<(PathBuf, f64), Failure> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let usage = || Failure::from("vast_world OUT.world [--gigabytes N]");
    let gigabytes = |text: &OsString| text.to_str()?.parse().ok().filter(|&n: &f64| n > 0.0);
    match words.as_slice() {
        [out] => Ok((out.into(), 4.0)),
        [out, flag, number] if flag == "--gigabytes" => {
            Ok((out.into(), gigabytes(number).ok_or_else(usage)?))
        }
        _ => Err(usage()),
    }
}

/// The smallest square of sectors around (0, 0) that takes this many GiB, estimated from a sample of sectors.
fn square(vast: &Vast, meshes: &[MeshUse], gigabytes: f64) -> Result<Vec<SectorCoord>, Failure> {
    let few = (0..16).map(|i| SectorCoord::new(i * 11, i * -7));
    let bytes = few.map(|coord| vast.sector(coord, meshes).map(|file| file.bytes.len()));
    let mean = bytes.sum::<Result<usize, _>>()? as f64 / 16.0;
    let along = (gigabytes * f64::from(1 << 30) / mean).sqrt().ceil() as i32;
    let low = -along / 2;
    let range = low..low + along;
    Ok(range.clone().flat_map(|z| range.clone().map(move |x| SectorCoord::new(x, z))).collect())
}
