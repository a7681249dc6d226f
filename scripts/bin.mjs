// `dist/bin.cjs`, which starts the program without compiling it where that can be avoided, because a
// client waits for it at every start.
//
// Node 22.1 and later keep compiled code themselves, outside of the package. For Node 20 the package
// contains the code that was compiled when it was built (`compile-program.mjs`). V8 ignores what another
// version of it has compiled. It does not compare the source, so that is done here.

/** What Node puts around a CommonJS module. */
export const HEAD = "(function (exports, require, module, __filename, __dirname) {";
export const TAIL = "\n})";

export const KEEPS_CODE_SINCE = 22;

export const BIN = `#!/usr/bin/env node
"use strict";
const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
const cache = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && HOME + "/.cache");
const keepsCode = parseInt(process.versions.node) >= ${KEEPS_CODE_SINCE};
if (keepsCode && cache) require("node:module").enableCompileCache?.(cache + "/mcp-workbench/compiled");
if (keepsCode || !runCompiled()) require("./program.cjs");

function runCompiled() {
  const { readFileSync } = require("node:fs");
  const filename = __dirname + "/program.cjs";
  let source, compiled;
  try {
    compiled = readFileSync(__dirname + "/program.compiled");
    source = readFileSync(filename);
  } catch {
    return false;
  }
  const end = compiled.length - source.length;
  if (end <= 0 || !source.equals(compiled.subarray(end))) return false;
  const { Script } = require("node:vm");
  const text = ${JSON.stringify(HEAD)} + source.latin1Slice() + ${JSON.stringify(TAIL)};
  const script = new Script(text, { filename, cachedData: compiled.subarray(0, end) });
  script.runInThisContext()(exports, require, module, filename, __dirname);
  return true;
}
`;
