// Runs the built program until it has answered `initialize`, and keeps the code that V8 has compiled by then:
// `dist/program.compiled`, which ends with the source it was compiled from. See `bin.mjs`.
//
//   node scripts/compile-program.mjs DIST
import { spawnSync } from "node:child_process";
import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

import { HEAD, KEEPS_CODE_SINCE, TAIL } from "./bin.mjs";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "build", version: "1" },
  },
};

/** V8 ignores code that was compiled with other options. */
const OPTIONS_OF_USERS = { NODE_OPTIONS: "" };

const stateIn = (folder) => ({ XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder });

/** Compiles the program in `dist`, unless this version of Node keeps compiled code itself. */
export function compileProgram(dist) {
  if (parseInt(process.versions.node) >= KEEPS_CODE_SINCE) return;
  const home = mkdtempSync(join(tmpdir(), "mcp-workbench-build-"));
  try {
    const config = join(home, "workbench-config.json");
    const mcpServers = { example: { command: "example" } };
    writeFileSync(
      config,
      JSON.stringify({ toolboxes: { main: { description: "x", mcpServers } } }),
    );
    const { status, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(import.meta.url), dist, "serve", "--config", config],
      {
        input: `${JSON.stringify(INITIALIZE)}\n`,
        env: { ...process.env, ...OPTIONS_OF_USERS, ...stateIn(home) },
        encoding: "utf8",
      },
    );
    if (status !== 0) throw new Error(`The program could not be compiled: ${stderr}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function runAndKeep(dist) {
  const filename = join(dist, "program.cjs");
  const source = readFileSync(filename);
  if (source.some((byte) => byte > 0x7f)) throw new Error(`${filename} is not ASCII`);
  const script = new Script(HEAD + source.latin1Slice() + TAIL, { filename });
  const { writeSync } = fs;
  const keep = () => {
    fs.writeSync = writeSync;
    writeFileSync(
      join(dist, "program.compiled"),
      Buffer.concat([script.createCachedData(), source]),
    );
    process.exit(0);
  };
  // The answer is the first thing that the program writes, on Windows to the stream.
  fs.writeSync = keep;
  process.stdout.write = keep;
  const module = { exports: {} };
  const require = createRequire(filename);
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename));
}

// As a program of its own, its arguments are those of the program after the folder.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [dist] = process.argv.splice(2, 1);
  runAndKeep(dist);
}
