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
const SECRET = "value-that-must-not-be-stored";

describe("learned types", () => {
  it("grow with further results", () => {
    const learned = types();
    const [fx, list] = [server(), tool("list")];
    expect(learned.typeOf(fx, list)).toBe("");
    learned.learn(fx, list, [{ id: 1 }]);
    expect(learned.typeOf(fx, list)).toBe("~{id:number}[]");
    learned.learn(fx, list, [{ id: 1, note: SECRET }]);
    expect(learned.typeOf(fx, list)).toBe("~{id:number, note?:string}[]");
    expect(learned.typeOf(fx, list, 10)).toBe("");
    expect(learned.typeOf(server("other"), list)).toBe("");
  });

  it("are there in the next run, privately, until the definition changes", async () => {
    const learned = types();
    learned.learn(server(), tool("list"), { rows: [SECRET] });
    learned.learn(server(), tool("read"), SECRET);
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
    expect(later.typeOf(fx, tool("list"))).toBe("~{rows:string[]}");
    expect(later.typeOf(fx, tool("read"))).toBe("~string");
    expect(later.typeOf(fx, tool("list", "Lists other rows"))).toBe("");
  });

  it("of several processes are kept together, and a damaged file is ignored", async () => {
    const [first, second] = [types(), types()];
    first.learn(server(), tool("a"), 1);
    await first.flush();
    second.learn(server(), tool("b"), true);
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
    for (let i = 0; i < 700; i++) learned.learn(fx, tool(`tool${i}`), { [`key${i}`]: 1 });
    learned.learn(fx, tool("x".repeat(1000)), 1);
    await learned.flush();
    const later = types();
    await later.load(fx);
    const known = Array.from({ length: 700 }, (_, i) => later.typeOf(fx, tool(`tool${i}`)));
    expect(known.filter((type) => type !== "").length).toBeLessThanOrEqual(500);
    expect(known.at(-1)).toBe("~{key699:number}");
    expect(later.typeOf(fx, tool("x".repeat(1000)))).toBe("");
  });
});
