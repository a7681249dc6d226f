import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { CLI_ARTIFACTS } from "../../scripts/cli-artifacts.ts";
import { perTest } from "../../test/support/disposables.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import { VERSION } from "../version.ts";

const disposables = perTest();
const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string): string => readFileSync(pathOf(path), "utf8");
const readJson = (path: string): Record<string, unknown> =>
  JSON.parse(read(path)) as Record<string, unknown>;

/** What the registry asks of an entry (schema of 2025-12-11), as far as ours goes; strict against typing errors. */
const REGISTRY_ENTRY = z.strictObject({
  $schema: z.literal(
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  ),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
  packages: z.array(
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.string(),
      version: z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
      transport: z.strictObject({ type: z.literal("stdio") }),
      packageArguments: z.array(
        z.strictObject({ type: z.literal("positional"), value: z.string() }),
      ),
      environmentVariables: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          format: z.enum(["string", "number", "boolean", "filepath"]),
          isRequired: z.boolean(),
          isSecret: z.boolean(),
        }),
      ),
    }),
  ),
});

/** What a bundle's manifest of version 0.3 may say, as far as ours goes. */
const MANIFEST = z.strictObject({
  manifest_version: z.literal("0.3"),
  name: z.string(),
  display_name: z.string(),
  version: z.string(),
  description: z.string(),
  long_description: z.string(),
  author: z.strictObject({ name: z.string() }),
  license: z.string(),
  keywords: z.array(z.string()),
  server: z.strictObject({
    type: z.literal("node"),
    entry_point: z.string(),
    mcp_config: z.strictObject({ command: z.string(), args: z.array(z.string()) }),
  }),
  user_config: z.record(
    z.string(),
    z.strictObject({
      type: z.enum(["string", "number", "boolean", "directory", "file"]),
      title: z.string(),
      description: z.string(),
      required: z.boolean(),
    }),
  ),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
  tools_generated: z.boolean(),
  compatibility: z.strictObject({
    platforms: z.array(z.enum(["darwin", "win32", "linux"])),
    runtimes: z.strictObject({ node: z.string() }),
  }),
});

describe("files generated from the command table and package.json", () => {
  it.each(CLI_ARTIFACTS)(
    "include an up-to-date $path (otherwise run `npm run generate`)",
    (artifact) => {
      const current = read(artifact.path);
      expect(artifact.render(current)).toBe(current);
    },
  );

  it("match the schemas of the registry and of desktop clients", () => {
    expect(REGISTRY_ENTRY.safeParse(readJson("server.json")).error).toBeUndefined();
    expect(MANIFEST.safeParse(readJson("manifest.json")).error).toBeUndefined();
  });

  it("have the version and the registry name of the package", () => {
    const { version, mcpName, license } = readJson("package.json");
    expect(version).toBe(VERSION);
    expect(mcpName).toMatch(/\/mcp-workbench$/);
    expect(readJson("server.json")).toMatchObject({
      name: mcpName,
      version,
      packages: [{ identifier: "mcp-workbench", version }],
    });
    expect(readJson("manifest.json")).toMatchObject({ version, license });
    expect(read("LICENSE")).toContain(
      (readJson("manifest.json")["author"] as { name: string }).name,
    );
  });

  it("start the program of the package", () => {
    const { server } = MANIFEST.parse(readJson("manifest.json"));
    const { bin } = readJson("package.json") as { bin: Record<string, string> };
    expect(server.entry_point).toBe(bin["mcp-workbench"]);
    expect(server.mcp_config.args[0]).toBe(`\${__dirname}/${bin["mcp-workbench"]}`);
  });
});

describe("scripts/check-publisher.mjs", () => {
  it.each([
    ["com.example/mcp-workbench", 1],
    ["io.github.someone/mcp-workbench", 0],
  ])("exits, for the registry name %s, with code %i", (mcpName, status) => {
    const cwd = temporaryFolder(disposables);
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ mcpName }));
    const script = pathOf("scripts/check-publisher.mjs");
    const run = spawnSync(process.execPath, [script], { cwd, encoding: "utf8" });
    expect(run.status).toBe(status);
    expect(run.stderr.includes("io.github.OWNER/mcp-workbench")).toBe(status === 1);
  });
});
