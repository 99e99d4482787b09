// Runs a WebAssembly test under Node's WASI, with access to the workspace's files only.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { WASI } from "node:wasi";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const args = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args, env: {}, preopens: { [root]: root } });
const module = await WebAssembly.compile(await readFile(args[0]));
wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
