import { describe, expect, it } from "vitest";
import * as fc from "fast-check";

import { SyntaxProblem, withValue } from "./editor.ts";
import { valueAt } from "../text/json.ts";
import type { KeyPath } from "./editor.ts";
import { jsonc, moveKey, renameKey } from "./jsonc-edit.ts";

const ENTRY = { command: "x", args: ["serve"] };

describe("jsonc.set", () => {
  it("replaces one element of a list in place", () => {
    const before = '{ "args": ["a", /* the key */ "b", // last\n "c"] }';
    expect(jsonc.set(before, ["args", "1"], "x")).toBe(before.replace('"b"', '"x"'));
    expect(() => jsonc.set(before, ["args", "3"], "x")).toThrow("'args' is not an object");
    expect(() => jsonc.set(before, ["args", "length"], "x")).toThrow(SyntaxProblem);
  });

  it("adds an entry after the last one's comment, in the style of the file", () => {
    const before = `{
    // all of them
    "servers": {
        "a": { "command": "a" }, // first
        "b": { "command": "b" } // second
        // , "c": {}
    }
}
`;
    expect(jsonc.set(before, ["servers", "x"], ENTRY)).toBe(`{
    // all of them
    "servers": {
        "a": { "command": "a" }, // first
        "b": { "command": "b" }, // second
        "x": {
            "command": "x",
            "args": [
                "serve"
            ]
        }
        // , "c": {}
    }
}
`);
  });

  it.each([
    [
      "tabs and CRLF",
      '{\r\n\t"s": {\r\n\t}\r\n}\r\n',
      '{\r\n\t"s": {\r\n\t\t"x": 1\r\n\t}\r\n}\r\n',
    ],
    ["a byte order mark", '\uFEFF{\n  "s": {}\n}', '\uFEFF{\n  "s": {\n    "x": 1\n  }\n}'],
    [
      "a trailing comma",
      '{\n  "s": {\n    "a": 0,\n  },\n}',
      '{\n  "s": {\n    "a": 0,\n    "x": 1,\n  },\n}',
    ],
    ["one line", '{"s":{"a":0}}', '{"s":{"a":0, "x": 1}}'],
    ["one line, empty", '{"s":{}}', '{"s":{"x": 1}}'],
    ["one line with a trailing comma", '{ "s": { "a": 0, } }', '{ "s": { "a": 0, "x": 1, } }'],
    ["an empty document", "", '{\n  "s": {\n    "x": 1\n  }\n}\n'],
    ["only a comment", "// mine", '// mine\n{\n  "s": {\n    "x": 1\n  }\n}\n'],
    ["an empty object", "{}", '{\n  "s": {\n    "x": 1\n  }\n}'],
    ["no last line end", '{\n  "a": 0\n}', '{\n  "a": 0,\n  "s": {\n    "x": 1\n  }\n}'],
    [
      "a block comment after the last entry",
      '{\n  "s": {\n    "a": 0 /* 0 */\n  }\n}',
      '{\n  "s": {\n    "a": 0, /* 0 */\n    "x": 1\n  }\n}',
    ],
    [
      "leading commas",
      '{\n  "s": { "a": 0\n  , "b": 1\n  }\n}',
      '{\n  "s": { "a": 0\n  , "b": 1,\n    "x": 1\n  }\n}',
    ],
  ])("keeps the style of a file with %s", (_what, before, after) => {
    expect(jsonc.set(before, ["s", "x"], 1)).toBe(after);
  });

  it("replaces the effective value if a key is written twice", () => {
    const after = jsonc.set('{ "s": { "x": 1 }, "s": { "x": 2 } }', ["s", "x"], 3);
    expect(after).toBe('{ "s": { "x": 1 }, "s": { "x": 3 } }');
  });

  it("rejects a parent that is not an object, with its position", () => {
    expect(() => jsonc.set('{\n  "s": []\n}', ["s", "x"], 1)).toThrow(
      expect.objectContaining({ message: "'s' is not an object", at: "2:8" }),
    );
    expect(() => jsonc.set("[]", ["s"], 1)).toThrow("its content is not an object");
  });
});

describe("jsonc.remove", () => {
  it.each([
    [
      "a middle line",
      '{\n  "a": 1, // a\n  "x": 2, // x\n  "b": 3\n}',
      '{\n  "a": 1, // a\n  "b": 3\n}',
    ],
    ["the first line", '{\n  "x": 2,\n  "b": 3\n}', '{\n  "b": 3\n}'],
    ["the last line and its comma", '{\n  "a": 1, // a\n  "x": 2\n}', '{\n  "a": 1 // a\n}'],
    ["the last line before a trailing comma", '{\n  "a": 1,\n  "x": 2,\n}', '{\n  "a": 1,\n}'],
    ["the only key", '{\n  "x": 2\n}', "{}"],
    ["the only key beside a comment", '{ // c\n  "x": 2\n}', "{ // c\n}"],
    ["one of several keys on a line", '{"a":1, "x":2, "b":3}', '{"a":1, "b":3}'],
    ["the first key of a line", '{"x":2, "b":3}', '{"b":3}'],
    ["the last key of a line", '{ "a": 1, "x": 2 }', '{ "a": 1 }'],
    ["a key written twice", '{ "x": 1, "a": 1, "x": 2 }', '{ "a": 1 }'],
    ["a key after a line comment", '{ "a": 1, // a\n  "x": 2 }', '{ "a": 1 // a\n   }'],
    ["a key in a file with leading commas", '{\n  "x": 1\n  , "b": 1\n}', '{\n  "b": 1\n}'],
    ["nothing if the key is missing", '{ "a": 1 }', '{ "a": 1 }'],
    [
      "a key after a comment on its line, but not the comment of the line before",
      '{\n  "a": 1, // about a\n  /* about x */ "x": 2\n}',
      '{\n  "a": 1 // about a\n  /* about x */ \n}',
    ],
    [
      "the same with another key after it",
      '{\n  "a": 1, // about a\n  /* x */ "x": 2,\n  "b": 3\n}',
      '{\n  "a": 1, // about a\n  /* x */ \n  "b": 3\n}',
    ],
  ])("removes %s", (_what, before, after) => {
    expect(jsonc.remove(before, ["x"])).toBe(after);
  });
});

describe("jsonc.parse", () => {
  it("reads comments, trailing commas and a byte order mark", () => {
    expect(jsonc.parse('\uFEFF// c\n{ "a": [1, 2,], /* */ }')).toEqual({ a: [1, 2] });
    expect(jsonc.parse(" \n")).toBeUndefined();
  });

  it("reports the position of a syntax error", () => {
    const broken = (): unknown => jsonc.parse('{\n  "a": 1\n  "b": 2\n}');
    expect(broken).toThrow(SyntaxProblem);
    expect(broken).toThrow(expect.objectContaining({ at: "3:3" }));
  });
});

// --- any layout ---

interface Layout {
  readonly eol: string;
  readonly unit: string;
  readonly bom: string;
  readonly end: string;
  /** Consumed one by one to decide about each object: its layout, comments, trailing comma. */
  readonly choices: readonly number[];
}

const layout: fc.Arbitrary<Layout> = fc.record({
  eol: fc.constantFrom("\n", "\r\n"),
  unit: fc.constantFrom("  ", "    ", "\t", " "),
  bom: fc.constantFrom("", "\uFEFF"),
  end: fc.constantFrom("", "\n", "\r\n", "\n\n"),
  choices: fc.array(fc.nat({ max: 15 }), { minLength: 12, maxLength: 12 }),
});

const key = fc.constantFrom("a", "b", "mcpServers", "we ird", "é", 'q"');
const { document } = fc.letrec<{ document: Record<string, unknown>; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(1, true, null, "text // no comment", "{", []),
    tie("document"),
  ),
  document: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
}));

/** Writes a document as different people would: one line or many, commented or not. */
function write(value: unknown, { eol, unit, bom, end, choices }: Layout): string {
  let next = 0;
  const choose = (): number => choices[next++ % choices.length] ?? 0;
  const print = (at: unknown, indent: string): string => {
    if (typeof at !== "object" || at === null || Array.isArray(at)) return JSON.stringify(at);
    const entries = Object.entries(at);
    const choice = choose();
    const inner = indent + unit;
    const open = choice % 5 === 4 ? `{ // open` : "{";
    if (entries.length === 0) return open === "{" ? "{}" : `${open}${eol}${indent}}`;
    const trailing = choice % 4 === 3 ? "," : "";
    if (choice % 3 === 0) {
      const items = entries.map(([k, v]) => `${JSON.stringify(k)}: ${print(v, indent)}`);
      return `{ ${items.join(choice % 2 === 0 ? ", " : ",")}${trailing} }`;
    }
    const lines = entries.map(([k, v], index) => {
      const comma = index < entries.length - 1 ? "," : trailing;
      const comment = ["", " // note", " /* a */", ""][choose() % 4] ?? "";
      return `${inner}${JSON.stringify(k)}: ${print(v, inner)}${comma}${comment}`;
    });
    const foot = choice % 7 === 6 ? [`${inner}// "old": {},`] : [];
    return [open, ...lines, ...foot, `${indent}}`].join(eol);
  };
  return bom + print(value, "") + end;
}

function objectPaths(value: unknown, at: KeyPath = []): readonly KeyPath[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return [at, ...Object.entries(value).flatMap(([k, v]) => objectPaths(v, [...at, k]))];
}

const isSubsequence = (part: string, whole: string): boolean => {
  let at = 0;
  for (const character of whole) if (character === part[at]) at += 1;
  return at === part.length;
};

describe("jsonc, in any layout,", () => {
  const scene = fc.tuple(document, layout, fc.nat()).map(([value, how, pick]) => {
    const holders = objectPaths(value);
    return { value, text: write(value, how), holder: holders[pick % holders.length] ?? [] };
  });

  it("adds an entry without changing another byte, and removes it again", () => {
    fc.assert(
      fc.property(scene, ({ value, text, holder }) => {
        const path = [...holder, "new"];
        const after = jsonc.set(text, path, ENTRY);
        expect(jsonc.parse(after)).toEqual(withValue(value, path, ENTRY));
        expect(isSubsequence(text, after)).toBe(true);
        expect(jsonc.remove(after, path)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it("removes any key without losing a comment above or below it", () => {
    fc.assert(
      fc.property(scene, fc.nat(), ({ value, text, holder }, pick) => {
        const keys = Object.keys(valueAt(value, holder) as object);
        fc.pre(keys.length > 0);
        const gone = keys[pick % keys.length] ?? "";
        const after = jsonc.remove(text, [...holder, gone]);
        expect(isSubsequence(after, text)).toBe(true);
        expect(valueAt(jsonc.parse(after), holder)).not.toHaveProperty([gone]);
        const count = (t: string): number => t.split('// "old"').length;
        const inside = JSON.stringify(valueAt(value, [...holder, gone]) ?? null);
        fc.pre(!inside.startsWith("{"));
        expect(count(after)).toBe(count(text));
      }),
      { numRuns: 500 },
    );
  });
});

describe("renameKey and moveKey", () => {
  const TEXT = `{
  // both
  "a": {
    "one": { // first
      "x": 1, // kept
      "y": [2],
    },
    "two": {}, // second
  },
  "b": {
      "three": {}
  }
}
`;

  it("change a key in place", () => {
    expect(renameKey(TEXT, ["a", "one"], "uno")).toBe(TEXT.replace('"one"', '"uno"'));
    expect(() => renameKey(TEXT, ["a", "none"], "x")).toThrow(SyntaxProblem);
    expect(() => renameKey(TEXT, ["a", "one"], "two")).toThrow(SyntaxProblem);
  });

  it("move a value with the comments inside it, indented as its new place", () => {
    expect(moveKey(TEXT, ["a", "one"], ["b", "one"])).toBe(`{
  // both
  "a": {
    "two": {}, // second
  },
  "b": {
      "three": {},
      "one": { // first
        "x": 1, // kept
        "y": [2],
      }
  }
}
`);
    expect(() => moveKey(TEXT, ["a", "none"], ["b", "none"])).toThrow(SyntaxProblem);
  });

  it("parse to the intended document, whatever the layout", () => {
    const key = fc.constantFrom("a", "b", "c d", "moved");
    // JSON has no -0.
    const written = fc.json().map((text) => JSON.parse(text) as unknown);
    const inner = fc.dictionary(key, written, { minKeys: 1, maxKeys: 3 });
    const layout = fc.constantFrom(undefined, "  ", "\t");
    fc.assert(
      fc.property(inner, inner, layout, (from, to, indent) => {
        const text = JSON.stringify({ from, to }, undefined, indent);
        const [name = ""] = Object.keys(from);
        const { [name]: value, ...rest } = from;
        const moved = moveKey(text, ["from", name], ["to", "new"]);
        expect(jsonc.parse(moved)).toEqual({ from: rest, to: { ...to, new: value } });
      }),
    );
  });
});
