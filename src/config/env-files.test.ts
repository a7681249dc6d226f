import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { redactor } from "../secrets/redact.ts";
import { parseConfig, resolveConfig } from "./load.ts";
import type { WorkbenchSettings } from "./types.ts";

let folder = "";
let file = "";

beforeEach(() => {
  folder = newFolder("workbench-env");
  file = join(folder, "workbench-config.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string, mode = 0o600): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const config = (more: object = {}, env: object = { T: "${A_TOKEN}" }) => ({
  ...more,
  toolboxes: { t: { description: "d", mcpServers: { s: { command: "x", env } } } },
});
const parse = (more?: object, env?: object, variables: Record<string, string> = {}) =>
  parseConfig(JSON.stringify(config(more, env)), { file, env: variables });
const serverOf = (settings: WorkbenchSettings) => settings.toolboxes.get("t")?.servers.get("s");
const envOf = (settings: WorkbenchSettings) => {
  const transport = serverOf(settings)?.transport;
  return transport?.kind === "stdio" ? transport.env : undefined;
};

describe("secrets.env next to a configuration", () => {
  it("defines variables for its references only, and wins over the environment", async () => {
    write("secrets.env", "A_TOKEN=from-the-file\nUNUSED=never-passed-on\n");
    const settings = await parse({}, undefined, { A_TOKEN: "stale" });
    expect(envOf(settings)).toEqual({ T: "from-the-file" });
    expect(settings.envFiles.map((one) => one.file)).toEqual([join(folder, "secrets.env")]);
  });

  it("has values that are secrets whatever their name", async () => {
    write("secrets.env", "A_TOKEN=x\nPLAIN='hello-there general'\n");
    const { secrets } = await parse({}, { P: "${PLAIN}" });
    expect(redactor(secrets)("say hello-there general!")).toBe("say [redacted]!");
  });

  it("need not exist, and is not looked for without references", async () => {
    expect(serverOf(await parse())?.unavailable).toContain("A_TOKEN is not set");
    write("secrets.env", "not a line", 0o644);
    expect((await parse({}, {})).envFiles).toEqual([]);
  });

  // Windows has no permission bits.
  it.runIf(process.getuid !== undefined)("fails if others can read or change it", async () => {
    write("secrets.env", "A_TOKEN=secret-value\n", 0o644);
    await expect(parse()).rejects.toThrow(/secrets\.env: other users of this machine can read it/);
    chmodSync(join(folder, "secrets.env"), 0o620);
    await expect(parse()).rejects.toThrow(/can change it\. Run: chmod 600/);
  });

  it("fails for lines that cannot be read, without showing them", async () => {
    write("secrets.env", "A_TOKEN=1\nhunter2-value\n");
    const failure = parse();
    await expect(failure).rejects.toThrow("line 2 is not NAME=value");
    await expect(failure).rejects.not.toThrow("hunter2");
  });

  it("is not followed if it is a link, nor read if it is a folder", async () => {
    write("other.env", "A_TOKEN=1\n");
    symlinkSync("other.env", join(folder, "secrets.env"));
    await expect(parse()).rejects.toThrow("symbolic link");
    rmSync(join(folder, "secrets.env"));
    mkdirSync(join(folder, "secrets.env"));
    await expect(parse()).rejects.toThrow("not a regular file");
  });

  it("is not read for an object, nor when secrets must not be read", async () => {
    write("secrets.env", "A_TOKEN=1\n");
    const given = await resolveConfig(config() as never, { cwd: folder, env: {} });
    expect(serverOf(given)?.unavailable).toContain("A_TOKEN");
    const options = { file, env: {}, readsSecrets: false };
    const inspected = await parseConfig(JSON.stringify(config()), options);
    expect(serverOf(inspected)?.unavailable).toContain("A_TOKEN");
  });

  it("gives the same result with comments in the configuration", async () => {
    write("secrets.env", "A_TOKEN=one\n");
    const text = `// comment\n${JSON.stringify(config())}`;
    expect(envOf(await parseConfig(text, { file, env: {} }))).toEqual({ T: "one" });
  });
});

describe("envFiles", () => {
  it("are read instead, later ones win, and paths may use variables", async () => {
    write("secrets.env", "A_TOKEN=default\n");
    write("a.env", "A_TOKEN=a\nB=a\n");
    mkdirSync(join(folder, "sub"));
    write("sub/b.env", "B=b\n");
    const settings = await parse(
      { envFiles: ["a.env", "${WHERE}/b.env"] },
      { A: "${A_TOKEN}", B: "${B}" },
      { WHERE: join(folder, "sub") },
    );
    expect(envOf(settings)).toEqual({ A: "a", B: "b" });
  });

  it("must exist, and may be links", async () => {
    write("a.env", "A_TOKEN=a\n");
    symlinkSync("a.env", join(folder, "link.env"));
    expect(envOf(await parse({ envFiles: ["link.env"] }))).toEqual({ T: "a" });
    await expect(parse({ envFiles: ["none.env"] })).rejects.toThrow(
      /envFiles\[0\]: cannot use .*none\.env: it does not exist/,
    );
    expect(serverOf(await parse({ envFiles: [] }))?.unavailable).toContain("A_TOKEN");
  });
});

it("envFile of a server is resolved against the folder of the configuration", async () => {
  const entry = { command: "x", envFile: "my.env" };
  const text = JSON.stringify({ toolboxes: { t: { description: "d", mcpServers: { s: entry } } } });
  write("my.env", "API_KEY=zebra-lantern-hill\n", 0o644);
  const settings = await parseConfig(text, { file, env: {} });
  expect(serverOf(settings)?.transport).toMatchObject({ envFile: join(folder, "my.env"), env: {} });
  expect(settings.secrets).toContain("zebra-lantern-hill");
});
