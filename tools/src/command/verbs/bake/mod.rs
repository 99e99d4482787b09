//! `marchland bake`: an elevation file becomes a world.
//!
//! From command-line arguments to a published world.
//!
//! ```text
//! BakeArgs ─ plan ─▶ Plan (source open, grid chosen, record made) ─ execute ─▶ Outcome
//! ```

mod args;
mod execute;
mod extent;
mod plan;
mod props;
pub(crate) mod settings_text;

pub use args::BakeArgs;
pub(crate) use execute::pool;
pub use execute::{Outcome, execute};
pub use plan::{Plan, plan};
pub(crate) use plan::{import_failure, import_options};
pub use props::{PropPlan, PropsReport};

use marchland_terrain::bake::{Difference, RuleReport};
use serde_json::{Value, json};

use crate::command::failure::Failure;
use crate::command::output;
use crate::import::props::MeshReport;
use crate::import::{Border, TileReport};

/// Bakes and reports the result.
///
/// # Errors
/// If a source is missing or invalid, or the world cannot be written.
pub fn run(args: &BakeArgs) -> Result<(), Failure> {
    let plan = plan(args)?;
    let (notes, mut warnings) = (plan.notes.clone(), plan.warnings.clone());
    for note in &notes {
        output::note(&format!("note: {note}"));
    }
    for warning in &warnings {
        output::note(&format!("warning: {warning}"));
    }
    let outcome = execute(plan)?;
    for shortfall in props_made(&outcome).map(PropsReport::shortfalls).unwrap_or_default() {
        output::note(&format!("warning: {shortfall}"));
        warnings.push(shortfall);
    }
    if args.json {
        return output::json(&answer(&outcome, &notes, &warnings));
    }
    describe(&outcome).iter().try_for_each(|line| output::line(line))
}

/// What `--json` prints. Every key is always present.
fn answer(outcome: &Outcome, notes: &[String], warnings: &[String]) -> Value {
    let (grid, made, tiles) = (outcome.grid, outcome.made.as_ref(), outcome.tiles.as_ref());
    let props = props_made(outcome);
    let number = |of: fn(&PropsReport) -> u64| made.map(|_| props.map_or(0, of));
    let border = |border: &Border| {
        json!({
            "first": border.first,
            "second": border.second,
            "greatest_step": border.greatest,
            "greatest_step_inside": border.greatest_inside,
        })
    };
    let mesh = |(index, report): (usize, &MeshReport)| {
        json!({
            "name": report.name,
            "triangles": report.triangles,
            "closed": report.closed,
            "welded": report.prepared.welded,
            "degenerate": report.prepared.degenerate,
            "duplicate": report.prepared.duplicate,
            "turned": report.prepared.turned,
            "placed": props.and_then(|props| props.uses.get(index)),
        })
    };
    let rule = |rule: &RuleReport| {
        json!({
            "name": rule.name,
            "asked": rule.asked,
            "placed": rule.placed,
        })
    };
    let rules = |props: &PropsReport| props.rules.iter().map(rule).collect::<Vec<_>>();
    json!({
        "world": outcome.out.display().to_string(),
        "up_to_date": made.is_none(),
        "generation": made.map(|made| made.published.generation),
        "sectors": made.map(|made| made.bake.sectors),
        "sectors_written": made.map(|made| made.published.written),
        "cell": f64::from(grid.cell()),
        "sector_size": f64::from(grid.sector_size().metres()),
        "quantum": f64::from(grid.quantum()),
        "spacing": outcome.spacing,
        "origin": outcome.origin,
        "resampled": made.map(|made| made.bake.resampled),
        "greatest_difference": made.and_then(|made| Some(made.bake.difference?.greatest)),
        "height_range": made.and_then(|made| made.bake.height_range),
        "tile_overlap": tiles.map(|tiles| tiles.overlap),
        "tile_borders": tiles.map(|tiles| tiles.borders.iter().map(border).collect::<Vec<_>>()),
        "missing_tiles": tiles.map(|tiles| &tiles.missing),
        "props": number(|props| props.props),
        "meshes": outcome.meshes.iter().enumerate().map(mesh).collect::<Vec<_>>(),
        "unique_triangles": number(|props| props.unique_triangles),
        "placed_triangles": number(|props| props.placed_triangles),
        "scatters": made.map(|_| props.map(rules).unwrap_or_default()),
        "notes": notes,
        "warnings": warnings,
        "seconds": outcome.took.as_secs_f64(),
    })
}

fn props_made(outcome: &Outcome) -> Option<&PropsReport> {
    outcome.made.as_ref()?.props.as_ref()
}

fn describe(outcome: &Outcome) -> Vec<String> {
    let out = outcome.out.display();
    let Some(made) = &outcome.made else {
        return vec![format!("{out}: up to date, nothing written")];
    };
    let (grid, bake, published) = (outcome.grid, &made.bake, &made.published);
    let (cell, quantum, [x, z]) = (grid.cell(), grid.quantum(), outcome.origin);
    let mut lines = vec![
        format!(
            "{out}: {} of {} m, {} written, generation {}, in {:.1} s",
            output::count(bake.sectors, "sector"),
            grid.sector_size().metres(),
            published.written,
            published.generation,
            outcome.took.as_secs_f64(),
        ),
        format!(
            "grid: cells of {cell} m, heights in steps of {quantum} m, first sample at ({x}, {z})"
        ),
        match bake.height_range {
            Some([low, high]) => format!("heights: {low:.3} to {high:.3} m"),
            None => "heights: none, every cell is a hole".into(),
        },
        match bake.difference {
            Some(Difference { greatest, column, row }) => {
                let [x, z] = outcome.spacing;
                format!(
                    "resampled: source samples are {x:.4} x {z:.4} m apart; the world's surface is up to \
                     {greatest:.3} m from them (at column {column}, row {row})"
                )
            }
            None => {
                format!("on the grid: every sample is within {} m of the source", quantum / 2.0)
            }
        },
    ];
    if let Some(props) = props_made(outcome) {
        lines.extend(describe_props(outcome, props));
    }
    if let Some(tiles) = &outcome.tiles {
        lines.extend(describe_tiles(tiles));
    }
    lines
}

fn describe_props(outcome: &Outcome, props: &PropsReport) -> Vec<String> {
    let meshes = &outcome.meshes;
    let mut lines = vec![format!(
        "props: {} of {}; {} stored, {} placed",
        output::count(props.props, "prop"),
        if meshes.len() == 1 { "1 mesh".into() } else { format!("{} meshes", meshes.len()) },
        output::count(props.unique_triangles, "triangle"),
        props.placed_triangles,
    )];
    lines.extend(meshes.iter().enumerate().map(|(index, mesh)| {
        let kind = if mesh.closed { "closed" } else { "open" };
        let mut line = format!(
            "  {}: {}, {kind}, placed {}",
            mesh.name,
            output::count(mesh.triangles as u64, "triangle"),
            output::count(props.uses.get(index).copied().unwrap_or(0), "time"),
        );
        for (number, what) in [
            (mesh.prepared.welded, "vertices welded"),
            (mesh.prepared.degenerate, "without area dropped"),
            (mesh.prepared.duplicate, "dropped as duplicates"),
            (mesh.prepared.turned, "flipped"),
        ] {
            if number > 0 {
                line += &format!(", {number} {what}");
            }
        }
        line
    }));
    lines.extend(props.rules.iter().map(|rule| match rule.asked {
        Some(asked) => format!("  {}: {} of {asked} placed", rule.name, rule.placed),
        None => format!("  {}: {} placed", rule.name, rule.placed),
    }));
    lines
}

fn describe_tiles(tiles: &TileReport) -> Vec<String> {
    let shared = match tiles.overlap {
        0 => "sharing no samples",
        _ => "sharing edge samples",
    };
    let mut lines = vec![format!(
        "tiles: {} x {} of {} x {} samples, {shared}",
        tiles.tile_columns, tiles.tile_rows, tiles.columns, tiles.rows
    )];
    if !tiles.missing.is_empty() {
        lines.push(format!("outside the world: {}", tiles.missing.join(", ")));
    }
    if tiles.overlap == 0 && !tiles.borders.is_empty() {
        lines.push("greatest step across each border, and inside its tiles:".into());
        lines.extend(tiles.borders.iter().map(|border| {
            let Border { first, second, greatest, greatest_inside, .. } = border;
            format!("  {first} | {second}: {greatest:.3} m, inside {greatest_inside:.3} m")
        }));
    }
    lines
}
