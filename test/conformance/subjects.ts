/** What the suite measures as a server: the fixture itself, and the fixture behind a workbench. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free-port.ts";
import { Program } from "./program.ts";
import { withTemporaryDirectory } from "./temporary.ts";

export interface FixtureOptions {
  /** Both, if left out. */
  readonly era?: "legacy" | "modern";
  /** Whether it has skills. */
  readonly skills?: boolean;
}

export interface WorkbenchOptions extends FixtureOptions {
  readonly transport: "stdio" | "http";
  /** True for a client that sees all servers instead of the fixture alone. */
  readonly seesAll?: boolean;
}

const FIXTURE = fileURLToPath(new URL("../fixtures/everything-server.mjs", import.meta.url));
export const WORKBENCH = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));

/** Runs the fixture over HTTP while `use` has its URL. */
export async function withFixture<T>(
  options: FixtureOptions,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const program = new Program([FIXTURE, "--http", "0", ...fixtureArgs(options)]);
  try {
    return await use(await program.ready((output) => /^http.*$/m.exec(output)?.[0]));
  } finally {
    await program.stop();
  }
}

/** Runs a workbench over HTTP while `use` has the URL under which the fixture behind it is reached. */
export async function withWorkbench<T>(
  { transport, seesAll = false, ...options }: WorkbenchOptions,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const path = seesAll ? "" : "/suite/fixture";
  if (transport === "stdio") {
    const args = [FIXTURE, ...fixtureArgs(options)];
    return serveThrough({ command: process.execPath, args }, path, use);
  }
  return withFixture(options, (url) => serveThrough({ type: "http", url }, path, use));
}

function fixtureArgs({ era, skills = false }: FixtureOptions): string[] {
  return [...(era ? ["--era", era] : []), ...(skills ? ["--skills"] : [])];
}

function serveThrough<T>(
  server: object,
  path: string,
  use: (url: string) => Promise<T>,
): Promise<T> {
  return withTemporaryDirectory(async (directory) => {
    const config = join(directory, "workbench-config.json");
    const toolboxes = { suite: { description: "Conformance", mcpServers: { fixture: server } } };
    await writeFile(config, JSON.stringify({ toolboxes }));
    const address = `127.0.0.1:${await freePort()}`;
    const program = new Program(
      [WORKBENCH, "serve", "--http", address, "--no-auth", "--config", config],
      // No workbench may profit from what another one remembered about the fixture.
      { ...process.env, XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory },
    );
    try {
      await program.ready(() => isHealthy(address));
      return await use(`http://${address}/mcp${path}`);
    } finally {
      await program.stop();
    }
  });
}

async function isHealthy(address: string): Promise<true | undefined> {
  const response = await fetch(`http://${address}/healthz`).catch(() => undefined);
  return response?.ok ? true : undefined;
}
