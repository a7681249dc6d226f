import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Setup {
  /** The servers that are called: `s0`, `s1`, … in toolbox `main`. */
  readonly called?: number;
  /** All servers in the configuration. Those that are not called are never started. */
  readonly configured?: number;
  readonly tools?: number;
  /** Further settings of the configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Further options of `serve`. */
  readonly options?: readonly string[];
}

export const program = (name: string): string =>
  fileURLToPath(new URL(`../${name}`, import.meta.url));
export const WORKBENCH = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));

const SERVERS_PER_TOOLBOX = 10;
const MAX_SESSIONS = 5_000;

/** A private folder for all files of a run. */
export class Workspace {
  /** What is between `node` and the workbench on the command line. */
  readonly nodeOptions: readonly string[];
  readonly folder = mkdtempSync(join(tmpdir(), "mcp-workbench-bench-"));
  readonly #more: Readonly<Record<string, string>>;
  #files = 0;

  constructor(nodeOptions: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    this.nodeOptions = nodeOptions;
    this.#more = env;
  }

  /** The environment that keeps the workbench away from the user's own files. */
  get env(): Record<string, string> {
    const { folder } = this;
    return {
      ...this.#more,
      XDG_STATE_HOME: folder,
      XDG_CACHE_HOME: folder,
      XDG_CONFIG_HOME: folder,
    };
  }

  /** Writes a configuration and returns its path. */
  config(toolMode: "proxy" | "dynamic", setup: Setup): string {
    const { called = 1, configured = 1, tools = 3, settings } = setup;
    const toolboxes: Record<string, unknown> = {
      main: toolbox("Servers that are called", called, tools),
    };
    for (let left = configured - called, box = 1; left > 0; left -= SERVERS_PER_TOOLBOX, box++)
      toolboxes[`other-${box}`] = toolbox(
        `Group ${box} of servers that no client calls`,
        Math.min(left, SERVERS_PER_TOOLBOX),
        tools,
      );
    const file = join(this.folder, `config-${this.#files++}.json`);
    writeFileSync(
      file,
      JSON.stringify({ toolMode, http: { sessions: MAX_SESSIONS }, ...settings, toolboxes }),
    );
    return file;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function toolbox(description: string, servers: number, tools: number): unknown {
  const args = [program("fixture.mjs"), String(tools)];
  const mcpServers: Record<string, unknown> = {};
  for (let i = 0; i < servers; i++) mcpServers[`s${i}`] = { command: process.execPath, args };
  return { description, mcpServers };
}
