import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { UnfinishedLoad } from "../../scripts/script-failure.ts";
import { SavedScripts } from "./saved-scripts.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mcp-workbench-scripts-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const described = { description: "Does it.", input: { type: "object" }, run: "function" };
const MAX_BYTES = 1000;

type Answer = unknown;

function scripts(
  answer: Answer | ((code: string) => Answer) = described,
): SavedScripts & { evaluated: string[] } {
  const evaluated: string[] = [];
  const describe = (code: string): Promise<string> => {
    evaluated.push(code);
    const given: unknown = typeof answer === "function" ? answer(code) : answer;
    return given instanceof Error ? Promise.reject(given) : Promise.resolve(JSON.stringify(given));
  };
  return Object.assign(new SavedScripts(folder, describe, () => MAX_BYTES), { evaluated });
}

const nested = (depth: number): unknown =>
  depth === 0 ? {} : { type: "object", properties: { a: nested(depth - 1) } };

describe("saved scripts", () => {
  it("are the TypeScript and JavaScript files of a folder, by name", async () => {
    for (const name of ["b.ts", "a.js", "types.d.ts", "notes.md", ".hidden.ts"])
      write(name, "export const run = () => 1;");
    const { scripts: found, problems } = await scripts().read();
    expect([...found.keys()]).toEqual(["a", "b"]);
    expect(problems).toEqual([]);
  });

  it("are left out with a reason if they cannot be read or have no proper name", async () => {
    const long = `${"x".repeat(65)}.js`;
    for (const name of ["sp ace.ts", "-dash.ts", "__proto__.js", "ünï.ts", "a.mts", "b.tsx", long])
      write(name, "");
    write("large.ts", " ".repeat(MAX_BYTES + 1));
    mkdirSync(join(folder, "folder.ts"));
    const { scripts: found, problems } = await scripts().read();
    expect([...found.keys()]).toEqual([]);
    const rule =
      "its name must begin with a letter or digit and have at most 64 letters, digits, '.', '_' and '-'";
    expect([...problems].sort()).toEqual([
      `-dash.ts: ${rule}`,
      `__proto__.js: ${rule}`,
      "a.mts: its name must end in .ts or .js",
      "b.tsx: its name must end in .ts or .js",
      expect.stringMatching(/^folder\.ts: it is a folder/),
      "large.ts: it is larger than 1000 bytes (setting scripts.sourceBytes)",
      `sp ace.ts: ${rule}`,
      `${long}: ${rule}`,
      `ünï.ts: ${rule}`,
    ]);
  });

  it("are at most 200", async () => {
    for (let i = 100; i < 301; i++) write(`s${i}.ts`, "");
    const { scripts: found, problems } = await scripts().read();
    expect(found.size).toBe(200);
    expect(problems).toEqual(["s300.ts: there are more than 200 scripts in the folder"]);
  });

  it("of two with the same name, are the .ts file if it can be a tool", async () => {
    for (const name of ["a.js", "a.ts", "b.js", "b.ts", "c.js", "c.ts"]) write(name, name);
    const broken = ["a.js", "b.ts"];
    const { scripts: found, problems } = await scripts((code: string) =>
      broken.includes(code) ? new Error("broken") : described,
    ).read();
    expect(Array.from(found.values(), ({ file }) => file)).toEqual(["a.ts", "b.js", "c.ts"]);
    expect(problems).toEqual([
      "a.js: a.ts has the same name and is used",
      "b.ts: broken",
      "c.js: c.ts has the same name and is used",
    ]);
  });

  it("are not read from outside of the folder", async () => {
    const outside = mkdtempSync(join(tmpdir(), "mcp-workbench-outside-"));
    try {
      writeFileSync(join(outside, "secret.ts"), "1");
      write("a.ts", "1");
      symlinkSync(join(outside, "secret.ts"), join(folder, "absolute.ts"));
      symlinkSync(join("..", basename(outside), "secret.ts"), join(folder, "relative.ts"));
      symlinkSync("a.ts", join(folder, "inside.ts"));
      const { scripts: found, problems } = await scripts().read();
      expect([...found.keys()]).toEqual(["a", "inside"]);
      expect(problems).toEqual([
        "absolute.ts: it is a link to a file outside of the folder",
        "relative.ts: it is a link to a file outside of the folder",
      ]);
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });

  it("must describe themselves in the same way at any time", async () => {
    write("constant.ts", "Date.now()");
    write("changing.ts", "Math.random()");
    let count = 0;
    const { scripts: found, problems } = await scripts((code: string) =>
      code.includes("random") ? { ...described, description: `${count++}` } : described,
    ).read();
    expect([...found.keys()]).toEqual(["constant"]);
    expect(problems).toEqual([expect.stringContaining("changing.ts: its description, input and")]);
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

  it("that fail are evaluated again only if they change, not with other files", async () => {
    write("bad.ts", "1");
    const saved = scripts((code: string) => (code === "3" ? described : new Error("broken")));
    for (const other of ["1", "2"]) {
      write("other.ts", other);
      expect((await saved.read()).problems[0]).toBe("bad.ts: broken");
    }
    expect(saved.evaluated).toEqual(["1", "1", "2"]);
    write("bad.ts", "3");
    expect((await saved.read()).scripts.get("bad")?.source).toBe("3");
    expect(saved.evaluated).toEqual(["1", "1", "2", "3"]);
  });

  it("that have no time are evaluated again, but not for ever", async () => {
    write("slow.ts", "1");
    let fails = 2;
    const busy = scripts(() => (fails-- > 0 ? new UnfinishedLoad("no time") : described));
    expect((await busy.read()).problems).toEqual(["slow.ts: no time"]);
    await busy.read();
    expect((await busy.read()).problems).toEqual([]);
    const endless = scripts(new UnfinishedLoad("no time"));
    for (let i = 0; i < 5; i++)
      expect((await endless.read()).problems).toEqual(["slow.ts: no time"]);
    expect(endless.evaluated).toHaveLength(3);
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
      },
      "mcp-workbench/source": expect.stringMatching(/^sha256-[\w+/]{43}=$/) as string,
    });
    expect(await source("2")).not.toEqual(first);
    expect(await source("1")).toEqual(first);
  });

  const WRONG: readonly (readonly [answer: unknown, reason: string])[] = [
    [{ ...described, description: undefined }, "it needs a description"],
    [{ ...described, description: " " }, "it needs a description"],
    [{ ...described, description: "x".repeat(5000) }, "more than 4000 characters"],
    [{ ...described, run: "undefined" }, "it needs a function"],
    [{ ...described, input: [] }, "its input must be a JSON schema"],
    [{ ...described, input: { type: "string" } }, "its input must be a JSON schema"],
    [{ ...described, run: "generator" }, "must not be a generator"],
    [{ ...described, input: { type: "object", properties: [] } }, "input.properties must be an"],
    [
      { ...described, input: { type: "object", properties: { a: true } } },
      "input.properties.a must",
    ],
    [
      { ...described, input: { type: "object", properties: { a: null } } },
      "input.properties.a must",
    ],
    [{ ...described, input: { type: "object", required: true } }, "input.required must be a list"],
    [{ ...described, input: { type: "object", required: [1] } }, "input.required must be a list"],
    [{ ...described, input: null }, "its input must be a JSON schema"],
    [{ ...described, annotations: "x" }, "its annotations must be an object"],
    [{ ...described, annotations: null }, "its annotations must be an object"],
    [
      { ...described, annotations: { readOnlyHint: 1 } },
      "annotations.readOnlyHint must be a boolean",
    ],
    [{ ...described, annotations: { title: {} } }, "annotations.title must be a string"],
    [{ ...described, input: { type: "object", $comment: "x".repeat(70_000) } }, "more than 65536"],
    [{ ...described, input: nested(130) }, "its exports are too complex"],
    [[], "its exports cannot be read"],
    [new Error("it does not end"), "it does not end"],
  ];
  it.each(WRONG.map(([answer, reason]) => [reason, answer] as const))(
    "are left out with the reason: %s",
    async (reason, answer) => {
      write("a.ts", "");
      const { scripts: found, problems } = await scripts(answer).read();
      expect(found.size).toBe(0);
      expect(problems).toEqual([expect.stringContaining(reason)]);
    },
  );
});
