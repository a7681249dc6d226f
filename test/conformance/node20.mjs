/**
 * Lets the suite start on Node 20. One of its commands, which we do not use, needs `fs.globSync` of
 * Node 22, and the import of a name that does not exist ends the whole program. Everything else in
 * it runs on Node 20 and gives the same results there. To be loaded with `node --import`.
 */
import * as fs from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

const SHIM_URL = "globsync-shim:fs";
const SHIM_SOURCE = `
  export * from "node:fs";
  export function globSync() { throw new Error("fs.globSync needs Node 22"); }
`;

// The hooks below run in a separate thread, which loads this file again.
if (isMainThread && !("globSync" in fs)) register(import.meta.url);

export function resolve(specifier, context, nextResolve) {
  const isSuite = context.parentURL?.endsWith("/conformance/dist/index.js");
  if (isSuite && specifier === "fs") return { url: SHIM_URL, shortCircuit: true };
  return nextResolve(specifier, context);
}

export function load(url, context, nextLoad) {
  if (url !== SHIM_URL) return nextLoad(url, context);
  return { format: "module", source: SHIM_SOURCE, shortCircuit: true };
}
