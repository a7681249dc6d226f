// Runs CODE with what V8 has compiled before, in DATA: compiling is half of the start of a server with an SDK.
// `bundled-program.ts` copies this file beside each program and fills in both names; with MAKE_CODE_CACHE in
// the environment it runs the program until its input ends, and writes DATA.
"use strict";
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const CODE = "code file";
const DATA = "data file";

const filename = join(__dirname, CODE);
const data = join(__dirname, DATA);
// V8 ignores data of another version of itself.
const script = new Script(readFileSync(filename, "latin1"), {
  filename,
  ...(existsSync(data) && { cachedData: readFileSync(data) }),
  importModuleDynamically: (name) => import(name),
});

if (process.env.MAKE_CODE_CACHE !== undefined) {
  process.once("exit", () => writeFileSync(process.env.MAKE_CODE_CACHE, script.createCachedData()));
  process.stdin.once("end", () => setImmediate(() => process.exit()));
  // Some programs do not read their input; those that do have begun by then.
  setImmediate(() => process.stdin.resume());
}
script.runInThisContext()(exports, require, module, filename, dirname(filename));
