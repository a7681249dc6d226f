/** A real run of `mcp-workbench init`, in a home folder of its own, with real servers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { newFolder } from "../../test/support/new-folder.ts";

export interface Recording {
  /** What the user types. */
  readonly command: string;
  /** What the program prints, with its colours. */
  readonly output: string;
}

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const SERVERS = ["mcp-server-filesystem", "mcp-server-memory", "mcp-server-everything"];
const FILESYSTEM = { command: "mcp-server-filesystem", args: ["${HOME}/src"] };
/** Two clients of a user: one server is in both, and one has a token, which is made up. */
const CLIENT_FILES: Readonly<Record<string, object>> = {
  ".claude.json": { filesystem: FILESYSTEM, memory: { command: "mcp-server-memory" } },
  ".cursor/mcp.json": {
    filesystem: FILESYSTEM,
    everything: {
      command: "mcp-server-everything",
      env: { DEMO_API_KEY: ["k", "4f9Kq2Lw8Zx1Vb7N"].join("-") },
    },
  },
};
const ARGUMENTS = ["init", "--yes", "--install", "all"];
/** A run that hangs ends then; a healthy one takes a second, and more on a busy machine. */
const PATIENCE_MS = 60_000;

export async function recordInit(): Promise<Recording> {
  const folder = realpathSync(newFolder("mcp-workbench-picture"));
  try {
    const output = inFixedOrder(await runIn(folder));
    if (output.includes(folder)) throw new Error(`The output depends on the folder:\n${output}`);
    return { command: ["mcp-workbench", ...ARGUMENTS].join(" "), output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runIn(folder: string): Promise<string> {
  const home = join(folder, "home");
  const bin = join(folder, "bin");
  mkdirSync(join(home, "src"), { recursive: true });
  for (const [file, mcpServers] of Object.entries(CLIENT_FILES)) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), JSON.stringify({ mcpServers }));
  }
  // Nothing else is on the PATH: an installed client would be asked to change its own file.
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  for (const server of SERVERS)
    symlinkSync(realpathSync(pathOf(`node_modules/.bin/${server}`)), join(bin, server));
  const child = spawn(process.execPath, [pathOf("dist/bin.cjs"), ...ARGUMENTS], {
    cwd: home,
    env: { HOME: home, PATH: bin, FORCE_COLOR: "1" },
    // Standard output has only the paths for scripts, which a terminal does not show.
    stdio: ["ignore", "ignore", "pipe"],
    timeout: PATIENCE_MS,
  });
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  if (code !== 0) throw new Error(`init ended with exit code ${String(code)}:\n${output}`);
  return output;
}

const CONNECTED = /^\S*✓\S* \w+\/\w+/;

/** Servers connect in any order, so neighbouring lines about them are sorted. */
function inFixedOrder(output: string): string {
  const result: string[] = [];
  let group: string[] = [];
  for (const line of output.split("\n")) {
    if (CONNECTED.test(line)) {
      group.push(line);
      continue;
    }
    result.push(...group.toSorted(), line);
    group = [];
  }
  return [...result, ...group.toSorted()].join("\n");
}
