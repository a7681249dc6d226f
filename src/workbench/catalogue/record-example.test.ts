import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import { exampleIn, examplesFor } from "./example-file.ts";
import { recordExample } from "./record-example.ts";

let dir: string;
let config: string;
let file: string;

beforeEach(() => {
  dir = newFolder("mcp-workbench-examples");
  config = join(dir, "config.json");
  file = join(dir, "state", "examples.json");
  writeFileSync(config, "{}");
});

afterEach(() => rmSync(dir, { recursive: true }));

function record(toolbox: string, server: string, ...names: readonly string[]): Promise<void> {
  const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
  const listed = tools.map((value) => ({ value, text: JSON.stringify(value) }));
  return recordExample(config, { toolbox, server }, new Catalogue(listed, () => true), file);
}

const recorded = (): string[] =>
  examplesFor(config, file).map(({ tool }) => `${tool.toolbox}/${tool.server}/${tool.name}`);

describe("the example call of a toolbox", () => {
  it("stays the first that was found, and others follow it", async () => {
    await record("b", "one", "get");
    await record("b", "two", "list");
    await record("a", "one", "get");
    expect(recorded()).toEqual(["b/one/get", "a/one/get"]);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("is replaced when its tool is gone", async () => {
    await record("b", "one", "get");
    await record("b", "one", "list", "get");
    expect(recorded()).toEqual(["b/one/get"]);
    await record("b", "one", "list");
    expect(recorded()).toEqual(["b/one/list"]);
  });

  it("is forgotten when the configuration changes", async () => {
    await record("b", "one", "get");
    utimesSync(config, new Date(), new Date(0));
    expect(recorded()).toEqual([]);
    await record("b", "two", "list");
    expect(recorded()).toEqual(["b/two/list"]);
  });

  it.each(["", "[]", "{", '{"x":1}', "x".repeat(100_000)])(
    "does not exist if the file is damaged: %#",
    async (text) => {
      await record("b", "one", "get");
      writeFileSync(file, text);
      expect(recorded()).toEqual([]);
      await record("b", "one", "get");
      expect(recorded()).toEqual(["b/one/get"]);
    },
  );

  it("does not exist if it is not a valid call", async () => {
    await record("b", "one", "get");
    const stamp = `${statSync(config).mtimeMs} ${statSync(config).size}`;
    const tool = { toolbox: "b", server: "one", name: "get" };
    const calls = [
      { tool },
      { tool, arguments: [] },
      { tool: "b/one/get" },
      7,
      { tool, arguments: {} },
    ];
    writeFileSync(file, JSON.stringify({ [config]: { stamp, calls } }));
    expect(examplesFor(config, file)).toEqual([{ tool, arguments: {} }]);
  });

  it("is shown only if the server is in scope and enabled", async () => {
    await record("b", "one", "get");
    await record("a", "two", "list");
    const box = (name: string, server: string, disabled = false) => ({
      name,
      servers: new Map([[server, { disabled }]]),
    });
    const shown = (...boxes: readonly ReturnType<typeof box>[]): string | undefined =>
      exampleIn(boxes, examplesFor(config, file))?.tool.name;
    expect(shown(box("a", "two"), box("b", "one"))).toBe("get");
    expect(shown(box("a", "two"))).toBe("list");
    expect(shown(box("a", "two"), box("b", "one", true))).toBe("list");
    expect(shown(box("b", "two"))).toBeUndefined();
  });
});
