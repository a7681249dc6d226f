import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ServerSettings } from "../../config/types.ts";
import { LearnedTypes } from "./learned-types.ts";
import { DiskTypes } from "./type-store.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mcp-workbench-types-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = (): string => join(root, "cache", "catalogue");
const places = () => ({ folder: folder(), keyFile: join(root, "state", "catalogue.key") });
const types = (): LearnedTypes =>
  new LearnedTypes(({ name }) => `identity of ${name}`, new DiskTypes(places()));
const server = (name = "fx"): { settings: ServerSettings } => ({
  settings: { name } as ServerSettings,
});
const tool = (name: string, description = "Lists rows") => ({
  nameJson: JSON.stringify(name),
  value: { name, description },
});
/** Arguments of their own for each result, except where they matter. */
const args = (n: number): string => JSON.stringify({ page: n });
const SECRET = "value-that-must-not-be-stored";

describe("learned types", () => {
  it("grow with further results", () => {
    const learned = types();
    const [fx, list] = [server(), tool("list")];
    const rows = (...more: object[]) => [{ id: 1, a: SECRET }, { id: 2, a: SECRET }, ...more];
    expect(learned.typeOf(fx, list)).toBe("");
    learned.learn(fx, list, rows(), args(1));
    expect(learned.typeOf(fx, list)).toBe("~{id:number, a:string}[]");
    const noted = { id: 1, a: SECRET, note: SECRET };
    learned.learn(fx, list, rows(noted, noted), args(2));
    expect(learned.typeOf(fx, list)).toBe("~{id:number, a:string, note?:string}[]");
    expect(learned.typeOf(fx, list, 10)).toBe("");
    expect(learned.typeOf(server("other"), list)).toBe("");
  });

  it("have no names of a map, in the memory or on disk, however often they recur", async () => {
    const learned = types();
    const users = server();
    for (let age = 0; age < 6; age++)
      learned.learn(
        users,
        tool("users"),
        { alice: { age, role: "" }, bob: { age: 1, role: "" } },
        args(age),
      );
    const fx = server();
    const later = types();
    await learned.flush();
    await later.load(fx);
    expect(later.typeOf(fx, tool("users"))).toBe("~{[key]:{age:number, role:string}}");
    const [name = ""] = readdirSync(folder());
    expect(readFileSync(join(folder(), name), "utf8")).not.toMatch(/alice|bob/);
  });

  it("take the same result again as no evidence", () => {
    const learned = types();
    const [fx, list] = [server(), tool("list")];
    for (let i = 0; i < 3; i++) learned.learn(fx, list, { total: 1, note: "" }, args(i));
    expect(learned.typeOf(fx, list)).toBe("~{…}");
    learned.learn(fx, list, { total: 2, note: "" }, args(3));
    expect(learned.typeOf(fx, list)).toBe("~{total:number, note:string}");
  });

  it.each<[string, unknown[], string[]]>([
    [
      "the same arguments",
      [
        { alice: 1, bob: "a" },
        { alice: 2, bob: "b" },
      ],
      [args(1), args(1)],
    ],
    [
      "no arguments",
      [
        { alice: 1, bob: "a" },
        { alice: 2, bob: { x: 1 } },
      ],
      ["{}", "{}"],
    ],
    [
      "their keys in the arguments",
      [
        { alice: 1, bob: "a" },
        { alice: 2, bob: "b" },
      ],
      ['{"names":["alice","bob"]}', '{"names":"bob, alice"}'],
    ],
    [
      "ids as keys",
      [
        { T1: 1, "user-2": "a", total: 3 },
        { T1: 2, "user-2": "b", total: 3 },
      ],
      [args(1), args(2)],
    ],
    [
      "the same arguments, in an object inside",
      [
        { page: { alice: 1, bob: "a" } },
        { page: { alice: 2, bob: "b" } },
        { page: { alice: 3, bob: "b" } },
      ],
      [args(1), args(1), args(1)],
    ],
  ])("have no keys of results with %s", (_, results, given) => {
    const learned = types();
    const [fx, list] = [server(), tool("list")];
    for (const [i, result] of results.entries()) learned.learn(fx, list, result, given[i] ?? "");
    expect(learned.typeOf(fx, list)).toMatch(/^~\{/);
    expect(learned.typeOf(fx, list)).not.toMatch(/alice|bob|T1|user/);
  });

  it("have the rows of lists, whatever the arguments are, and fields that are sometimes missing", () => {
    const learned = types();
    const [fx, list] = [server(), tool("list")];
    const rows = [
      { id: 1, name: "a" },
      { id: 2, name: "b" },
    ];
    learned.learn(fx, list, [], '{"sort":"name"}');
    learned.learn(fx, list, rows, '{"sort":"name"}');
    expect(learned.typeOf(fx, list)).toBe("~{id:number, name:string}[]");
    const status = tool("status");
    for (const [n, more] of [{}, { next: "a" }, { next: "b" }, { next: "c" }].entries())
      learned.learn(fx, status, { n, ...more, text: "" }, args(Math.max(1, n)));
    expect(learned.typeOf(fx, status)).toBe("~{n:number, text:string, next?:string}");
  });

  it("are not replaced by what was learned from fewer results", async () => {
    const first = types();
    const fx = server();
    for (const total of [1, 2]) first.learn(fx, tool("list"), { total, note: "" }, args(total));
    await first.flush();
    const second = types();
    second.learn(fx, tool("list"), { total: 3, note: "" }, args(3));
    await second.flush();
    await second.load(fx);
    expect(second.typeOf(fx, tool("list"))).toBe("~{total:number, note:string}");
    const third = types();
    await third.load(fx);
    expect(third.typeOf(fx, tool("list"))).toBe("~{total:number, note:string}");
  });

  it("are there in the next run, privately, until the definition changes", async () => {
    const learned = types();
    const before = server();
    for (const total of [1, 2])
      learned.learn(before, tool("list"), { rows: [SECRET], total }, args(total));
    learned.learn(before, tool("read"), SECRET, "{}");
    await learned.flush();
    const [name = ""] = readdirSync(folder());
    const file = join(folder(), name);
    expect(name).toMatch(/^[0-9a-f]{32}\.types\.json$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, "utf8")).not.toContain(SECRET);

    const later = types();
    const fx = server();
    await later.load(fx);
    expect(later.typeOf(fx, tool("list"))).toBe("~{rows:string[], total:number}");
    expect(later.typeOf(fx, tool("read"))).toBe("~string");
    expect(later.typeOf(fx, tool("list", "Lists other rows"))).toBe("");
  });

  it("of several processes are kept together, and a damaged file is ignored", async () => {
    const [first, second] = [types(), types()];
    first.learn(server(), tool("a"), 1, "{}");
    await first.flush();
    second.learn(server(), tool("b"), true, "{}");
    await second.flush();
    const fx = server();
    const both = types();
    await both.load(fx);
    expect([both.typeOf(fx, tool("a")), both.typeOf(fx, tool("b"))]).toEqual([
      "~number",
      "~boolean",
    ]);
    const [name = ""] = readdirSync(folder());
    const text = readFileSync(join(folder(), name), "utf8");
    writeFileSync(join(folder(), name), text.replace("number", "string"));
    const damaged = types();
    const other = server();
    await damaged.load(other);
    expect(damaged.typeOf(other, tool("a"))).toBe("");
  });

  it("are bounded on disk", async () => {
    const learned = types();
    const fx = server();
    for (let i = 0; i < 700; i++) learned.learn(fx, tool(`tool${i}`), [i], "{}");
    learned.learn(fx, tool("x".repeat(1000)), 1, "{}");
    await learned.flush();
    const later = types();
    await later.load(fx);
    const known = Array.from({ length: 700 }, (_, i) => later.typeOf(fx, tool(`tool${i}`)));
    expect(known.filter((type) => type !== "").length).toBeLessThanOrEqual(500);
    expect(known.at(-1)).toBe("~number[]");
    expect(later.typeOf(fx, tool("x".repeat(1000)))).toBe("");
  });
});
