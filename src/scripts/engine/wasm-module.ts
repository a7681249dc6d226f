import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The types of Node 20 have no constructors of WebAssembly. */
const { Module } = (
  globalThis as unknown as {
    WebAssembly: { Module: new (bytes: Uint8Array) => WebAssembly.Module };
  }
).WebAssembly;

/** Reads the engine: beside the built program, or in its package while the program is not built. */
export function readEngine(): WebAssembly.Module {
  const url = import.meta.url;
  const here = url.startsWith("file:") ? fileURLToPath(url) : url;
  const beside = join(dirname(here), "quickjs.wasm");
  const file = existsSync(beside)
    ? beside
    : createRequire(here).resolve("quickjs-wasi/quickjs.wasm");
  return new Module(readFileSync(file));
}
