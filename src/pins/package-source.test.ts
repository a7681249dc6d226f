import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { perTest } from "../../test/support/disposables.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import type { StdioTransport } from "../config/types.ts";
import { packageSource } from "./package-source.ts";

const cleanup = perTest();

function sourceOf(
  line: string,
  env: Readonly<Record<string, string>> = {},
  reported: unknown = undefined,
): ReturnType<typeof packageSource> {
  const [command = "", ...args] = line.split(" ");
  const transport = { kind: "stdio", command, args, env } as unknown as StdioTransport;
  return packageSource({ transport }, reported, {});
}

describe("the package behind a server", () => {
  it.each([
    ["npx -y @x/y@1.2.3", { kind: "npm", name: "@x/y", version: "1.2.3", pinned: true }],
    ["uvx thing==0.9.1", { kind: "pypi", name: "thing", version: "0.9.1", pinned: true }],
    [
      "uvx --from thing[extra]@2.0 run",
      { kind: "pypi", name: "thing", version: "2.0", pinned: true },
    ],
    ["npx -y @x/y@latest", { kind: "npm", name: "@x/y", pinned: false }],
    ["npx -y y@^1.2.3", { kind: "npm", name: "y", pinned: false }],
  ])("is read from %s", async (line, expected) => {
    expect(await sourceOf(line)).toEqual(expected);
  });

  it.each(["node server.js", "npx ./local", "npx github:x/y", "docker run x"])(
    "is unknown for %s",
    async (line) => {
      expect(await sourceOf(line)).toBeUndefined();
    },
  );

  it("has the version that npx installed, or else the one that the server reports", async () => {
    const cache = temporaryFolder(cleanup);
    const env = { npm_config_cache: cache };
    expect(await sourceOf("npx -y @x/y", env, "3.0.0")).toMatchObject({ version: "3.0.0" });
    const hash = createHash("sha512").update("@x/y").digest("hex").slice(0, 16);
    const folder = join(cache, "_npx", hash, "node_modules", "@x", "y");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.4.2" }));
    expect(await sourceOf("npx -y @x/y", env, "3.0.0")).toMatchObject({ version: "1.4.2" });
  });

  it("has the version that uv stored, if there is only one", async () => {
    const cache = temporaryFolder(cleanup);
    const env = { UV_CACHE_DIR: cache };
    const wheels = join(cache, "wheels-v5", "pypi", "some-server");
    mkdirSync(join(wheels, "1.2.3-py3-none-any"), { recursive: true });
    expect(await sourceOf("uvx some_server", env)).toMatchObject({ version: "1.2.3" });
    mkdirSync(join(wheels, "1.3.0-py3-none-any"));
    expect(await sourceOf("uvx some_server", env, "9")).toMatchObject({ version: "9" });
  });
});
