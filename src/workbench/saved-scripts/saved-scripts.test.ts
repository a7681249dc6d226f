import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { SavedScripts } from "./saved-scripts.ts";
import { moduleBody } from "./script-module.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mcp-workbench-scripts-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const described = { description: "Does it.", input: { type: "object" }, run: "function" };

function scripts(answer: unknown = described): SavedScripts & { evaluated: string[] } {
  const evaluated: string[] = [];
  const evaluate = (body: string): Promise<string> => {
    evaluated.push(body);
    return answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve(JSON.stringify(answer));
  };
  return Object.assign(new SavedScripts(folder, evaluate), { evaluated });
}

describe("saved scripts", () => {
  it("are the TypeScript and JavaScript files of a folder, by name", async () => {
    for (const name of ["b.ts", "a.js", "types.d.ts", "notes.md", ".hidden.ts", "sp ace.ts"])
      write(name, "export const run = () => 1;");
    mkdirSync(join(folder, "folder.ts"));
    const { scripts: found, problems } = await scripts().read();
    expect([...found.keys()]).toEqual(["a", "b"]);
    expect(problems).toEqual([expect.stringMatching(/^folder\.ts: it is a folder/)]);
  });

  it("cannot have the name of another", async () => {
    write("a.js", "");
    write("a.ts", "");
    const { scripts: found, problems } = await scripts().read();
    expect([...found.keys()]).toEqual(["a"]);
    expect(problems).toEqual(["a.ts: a.js has the same name"]);
  });

  it("are evaluated again only if they change", async () => {
    write("a.ts", "1");
    const saved = scripts();
    await saved.read();
    await saved.read();
    expect(saved.evaluated).toHaveLength(1);
    write("a.ts", "2");
    await saved.read();
    expect(saved.evaluated).toHaveLength(2);
  });

  it("have a digest of their source in the definition", async () => {
    const annotations = { readOnlyHint: true, "mcp-workbench/source": "sha256-forged", other: 1 };
    const source = async (text: string): Promise<unknown> => {
      write("a.ts", text);
      const { scripts: found } = await scripts({ ...described, annotations }).read();
      return found.get("a")?.definition;
    };
    const first = await source("1");
    expect(first).toEqual({
      name: "a",
      description: "Does it.",
      inputSchema: { type: "object" },
      annotations: {
        readOnlyHint: true,
        "mcp-workbench/source": expect.stringMatching(/^sha256-[\w+/]{43}=$/) as string,
      },
    });
    expect(await source("2")).not.toEqual(first);
    expect(await source("1")).toEqual(first);
  });

  it.each([
    [{ ...described, description: undefined }, "it needs a description"],
    [{ ...described, description: " " }, "it needs a description"],
    [{ ...described, description: "x".repeat(5000) }, "more than 4000 characters"],
    [{ ...described, run: "undefined" }, "it needs a function"],
    [{ ...described, input: [] }, "its input must be a JSON schema"],
    [{ ...described, input: { type: "string" } }, "its input must be a JSON schema"],
    [[], "its exports cannot be read"],
    [new Error("it does not end"), "it does not end"],
  ])("are left out if they say %j", async (answer, reason) => {
    write("a.ts", "");
    const { scripts: found, problems } = await scripts(answer).read();
    expect(found.size).toBe(0);
    expect(problems).toEqual([expect.stringContaining(reason)]);
  });

  it("keep every token on its line", async () => {
    const body = await moduleBody(
      'export const a: number = 1;\ninterface X { y: string }\nexport async function run(x: X) {\n  throw new Error("here");\n}',
    );
    expect(body.split("\n")[3]).toContain('throw new Error("here")');
    expect(body).not.toContain("interface");
    await expect(moduleBody("export const = ;")).rejects.toThrow("Unexpected token");
  });
});
