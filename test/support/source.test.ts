/** Rules are only as good as the code that finds violations. */
import { describe, expect, it } from "vitest";
import {
  importsOf,
  resolveImport,
  staticImports,
  withoutComments,
  withoutTextAndComments,
} from "./source.ts";

describe("importsOf", () => {
  it("sees every form of import", () => {
    const text = `
      import { a } from "./a.ts";
      import type { B } from "./b.ts";
      import {
        c,
        type D,
      } from '../c.ts';
      import * as e from "node:e";
      import "./side-effect.ts";
      export { f } from "./f.ts";
      export type { G } from "./g.ts";
      export * from "./h.ts";
      const lazy = await import("./lazy.ts");
      // import { no } from "./comment.ts";
      /* import "./comment.ts"; */
      export const text = "from";
    `;
    expect(importsOf(text)).toEqual([
      { specifier: "./a.ts", kind: "static" },
      { specifier: "./b.ts", kind: "type" },
      { specifier: "../c.ts", kind: "static" },
      { specifier: "node:e", kind: "static" },
      { specifier: "./side-effect.ts", kind: "static" },
      { specifier: "./f.ts", kind: "static" },
      { specifier: "./g.ts", kind: "type" },
      { specifier: "./h.ts", kind: "static" },
      { specifier: "./lazy.ts", kind: "dynamic" },
    ]);
  });

  it("does not mistake code for an import", () => {
    const text = 'export const a = b("./x.ts");\nexport function f() {}\nimport.meta.url;';
    expect(importsOf(text)).toEqual([]);
  });
});

describe("staticImports", () => {
  it("follows static imports through files, and nothing else", () => {
    const files = [
      { path: "cli/main.ts", text: 'import "../serve/a.ts"; \nawait import("../lazy.ts");' },
      { path: "serve/a.ts", text: 'import type { Z } from "zod";\nimport "node:fs";' },
      { path: "lazy.ts", text: 'import "zod";' },
    ];
    expect([...staticImports(files, "cli/main.ts").keys()]).toEqual([
      "cli/main.ts",
      "serve/a.ts",
      "node:fs",
    ]);
    expect([...staticImports(files, "lazy.ts").keys()]).toContain("zod");
  });

  it("resolves relative imports, and leaves packages alone", () => {
    expect(resolveImport("serve/http/a.ts", "../../errors.ts")).toBe("errors.ts");
    expect(resolveImport("serve/a.ts", "./b.ts")).toBe("serve/b.ts");
    expect(resolveImport("serve/a.ts", "zod")).toBeUndefined();
  });
});

describe("stripping", () => {
  it("removes comments and strings and keeps the lines", () => {
    const text = 'const a = "any"; // any\nconst b: any = `any`;';
    const code = withoutTextAndComments(text);
    expect(code.match(/any/g)).toHaveLength(1);
    expect(code.split("\n")).toHaveLength(2);
    expect(withoutComments('x("http://a") // gone')).toContain("http://a");
    expect(withoutComments('x("http://a") // gone')).not.toContain("gone");
  });
});
