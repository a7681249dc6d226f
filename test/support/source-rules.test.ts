/** The rules of the architecture are only as good as what they find. */
import { describe, expect, it } from "vitest";
import { countStaticImports, importCycles, moduleState, publicMembers } from "./source-rules.ts";

describe("importCycles", () => {
  it("finds files that import each other over others, also only types", () => {
    const files = [
      { path: "a.ts", text: 'import { b } from "./x/b.ts";' },
      { path: "x/b.ts", text: 'import type { C } from "../c.ts";' },
      { path: "c.ts", text: 'export { a } from "./a.ts";' },
      { path: "d.ts", text: 'import { a } from "./a.ts";' },
    ];
    expect(importCycles(files)).toEqual([["a.ts", "c.ts", "x/b.ts"]]);
  });

  it("accepts import() back to a file that imports this one", () => {
    const files = [
      { path: "a.ts", text: 'const b = await import("./b.ts");' },
      { path: "b.ts", text: 'import { a } from "./a.ts";' },
    ];
    expect(importCycles(files)).toEqual([]);
  });
});

describe("countStaticImports", () => {
  it("counts imports of values and types and exports, but not import()", () => {
    const text = `
import { a } from "./a.ts";
import type { B } from "./b.ts";
export { c } from "./c.ts";
const d = await import("./d.ts");
`;
    expect(countStaticImports(text)).toBe(3);
  });
});

describe("publicMembers", () => {
  it("counts fields, methods, accessors and static members, but nothing private", () => {
    const text = `
export class Many<T> extends Base<T> {
  static readonly limit = 3;
  readonly field: string;
  optional?: number;
  #hidden = { inner: 1 };
  private alsoHidden = 1;

  constructor(field: string) {
    super();
    this.field = field;
  }

  get size(): number {
    return 1;
  }

  set size(value: number) {
    this.optional = value;
  }

  async method<U>(
    first: U,
  ): Promise<void> {
    const local = (): number => 1;
    local();
  }

  *[Symbol.iterator](): Iterator<string> {
    yield "text: 1";
  }

  #alsoPrivate(): void {}
}
`;
    expect(publicMembers(text)).toEqual([
      {
        name: "Many",
        members: ["limit", "field", "optional", "size", "method", "[Symbol.iterator]"],
      },
    ]);
  });
});

describe("moduleState", () => {
  it("finds variables and collections that are changed", () => {
    const text = `
let counter = 1;
export let pending: Promise<void> | undefined;
const cache = new Map<string, number>();
const seen = new WeakSet<object>();
const list: string[] = [];
const timers: Map<string, () => void> = new Map();
const flags: Record<string, boolean> = {};
const QUOTE = /["'\`]/;
cache.set("a", 1);
list.push("a");
timers.delete("a");
flags["a"] = true;
class Pool {
  static next = 1;
}
`;
    expect(moduleState(text)).toEqual([
      "counter",
      "pending",
      "cache",
      "seen",
      "list",
      "timers",
      "flags",
      "static next",
    ]);
  });

  it("accepts constants, and variables of functions", () => {
    const text = `
const TABLE = new Map([["a", 1]]);
const NAMES: readonly string[] = ["a"];
const SETTINGS = { a: 1 };
const isKnown = TABLE.has("a") && SETTINGS.a === 1 && NAMES[0] === "a";
function count(): number {
  let found = 0;
  const list: string[] = [];
  list.push("a");
  return found;
}
class Pool {
  static readonly LIMIT = 1;
  static create(): Pool {
    return new Pool();
  }
}
`;
    expect(moduleState(text)).toEqual([]);
  });
});
