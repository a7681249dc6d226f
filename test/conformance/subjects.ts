/** What the suite measures as a server: the fixture itself, and the fixture behind a workbench. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Program } from "./program.ts";
import { withTemporaryDirectory } from "./temporary.ts";

export interface FixtureOptions {
  /** Both, if left out. */
  readonly era?: "legacy" | "modern";
}

const FIXTURE = fileURLToPath(new URL("../fixtures/everything-server.mjs", import.meta.url));
const WORKBENCH = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));

/** Runs the fixture over HTTP while `use` has its URL. */
export async function withFixture<T>(
  { era }: FixtureOptions,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const program = new Program([FIXTURE, "--http", "0", ...eraArgs(era)]);
  try {
    return await use(await program.ready((output) => /^http.*$/m.exec(output)?.[0]));
  } finally {
    await program.stop();
  }
}

/** Runs a workbench over HTTP while `use` has the URL under which the fixture behind it is reached. */
export async function withWorkbench<T>(
  { transport, era }: FixtureOptions & { readonly transport: "stdio" | "http" },
  use: (url: string) => Promise<T>,
): Promise<T> {
  if (transport === "stdio") {
    return serveThrough({ command: process.execPath, args: [FIXTURE, ...eraArgs(era)] }, use);
  }
  return withFixture(era ? { era } : {}, (url) => serveThrough({ type: "http", url }, use));
}

function eraArgs(era: FixtureOptions["era"]): string[] {
  return era ? ["--era", era] : [];
}

function serveThrough<T>(server: object, use: (url: string) => Promise<T>): Promise<T> {
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
      return await use(`http://${address}/mcp/suite/fixture`);
    } finally {
      await program.stop();
    }
  });
}

async function isHealthy(address: string): Promise<true | undefined> {
  const response = await fetch(`http://${address}/healthz`).catch(() => undefined);
  return response?.ok ? true : undefined;
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}
