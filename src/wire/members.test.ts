import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts, stringText } from "../../test/support/json-arbitraries.ts";
import {
  compact,
  elementsOf,
  membersOf,
  scanMembers,
  withMembers,
  replaceMember,
} from "./members.ts";

const texts = jsonTexts();

const parseObject = (text: string): [string, unknown][] =>
  Object.entries(JSON.parse(text) as Record<string, unknown>);

/** What the members mean, read from the spans alone. */
function meaning(text: string, from = 0): [string, unknown][] {
  return Array.from(membersOf(text, from) ?? [], ([key, { start, end }]) => [
    key,
    JSON.parse(text.slice(start, end)),
  ]);
}

const byKey = (members: [string, unknown][]): [string, unknown][] =>
  members.toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The tokens of a JSON text: strings, and everything between strings and white space. */
const tokensOf = (text: string): string[] => text.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? [];

/** Texts that are JSON only by accident. */
const garbage = fc
  .array(
    fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "1", "a", " ", "\n", "\u0001", "\\u"),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

describe("membersOf", () => {
  it("finds the same members and values as JSON.parse", () => {
    fc.assert(
      fc.property(texts.object, texts.space, (object, before) => {
        expect(byKey(meaning(before + object))).toEqual(byKey(parseObject(object)));
      }),
      { numRuns: 500 },
    );
  });

  it("starts at the given offset", () => {
    fc.assert(
      fc.property(texts.value, texts.object, texts.value, (before, object, after) => {
        const text = `[${before},${object},${after}]`;
        expect(byKey(meaning(text, before.length + 2))).toEqual(byKey(parseObject(object)));
      }),
    );
  });

  it("returns the span of a value without the white space around it", () => {
    const text = '{ "a" :\t[1, 2] , "b":"x" }';
    const spans = [...(membersOf(text) ?? [])];
    expect(spans.map(([key, { start, end }]) => [key, text.slice(start, end)])).toEqual([
      ["a", "[1, 2]"],
      ["b", '"x"'],
    ]);
  });

  it("reads keys that are written with escapes", () => {
    expect(meaning('{"\\u0069d":1,"a\\"b":2,"\\\\":3}')).toEqual([
      ["id", 1],
      ['a"b', 2],
      ["\\", 3],
    ]);
  });

  it("uses the last of two members with the same key, like JSON.parse", () => {
    expect(meaning('{"a":1,"b":2,"\\u0061":3}')).toEqual([
      ["a", 3],
      ["b", 2],
    ]);
  });

  it.each(["", " ", "[]", "1", '"{}"', '{"a"', '{"a":1', '{"a" 1}', '{"\\q":1}'])(
    "finds no object in %j",
    (text) => {
      expect(membersOf(text)).toBeUndefined();
    },
  );
});

describe("scanMembers", () => {
  it("returns the offset after the object", () => {
    fc.assert(
      fc.property(texts.object, texts.space, fc.string(), (object, before, after) => {
        const end = scanMembers(before + object + after, 0, () => undefined);
        expect(end).toBe(before.length + object.length);
      }),
    );
  });
});

describe("elementsOf", () => {
  it("returns the texts of all elements", () => {
    fc.assert(
      fc.property(texts.array, texts.space, (array, before) => {
        const elements = elementsOf(before + array);
        expect(elements?.map((element) => JSON.parse(element) as unknown)).toEqual(
          JSON.parse(array),
        );
        for (const element of elements ?? []) expect(element).toBe(element.trim());
      }),
      { numRuns: 500 },
    );
  });

  it.each(["", "{}", "1", "[}", "[1}"])("finds no array in %j", (text) => {
    expect(elementsOf(text)).toBeUndefined();
  });
});

describe("withMembers", () => {
  const changes = fc.dictionary(fc.constantFrom("a", "b", "id", "c"), fc.option(texts.value));

  it("changes the given members and keeps the text of every other value", () => {
    fc.assert(
      fc.property(texts.object, changes, (object, change) => {
        const given = Object.fromEntries(
          Object.entries(change).map(([key, value]) => [key, value ?? undefined]),
        );
        const changed = withMembers(object, given);
        const before = membersOf(object);
        const after = membersOf(changed);
        const textIn = (text: string, spans: typeof before, key: string): string | undefined => {
          const span = spans?.get(key);
          return span && text.slice(span.start, span.end);
        };
        for (const key of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]))
          expect(textIn(changed, after, key)).toBe(
            Object.hasOwn(given, key) ? given[key] : textIn(object, before, key),
          );
        for (const [key, value] of Object.entries(given))
          expect(after?.has(key)).toBe(value !== undefined);
        expect(byKey(parseObject(changed))).toEqual(byKey(meaning(changed)));
      }),
      { numRuns: 500 },
    );
  });

  it("keeps keys and numbers as they are written", () => {
    const text = '{"\\u0061": 12345678901234567890, "x":1, "b": 1.0}';
    expect(withMembers(text, { c: "2", x: undefined })).toBe(
      '{"\\u0061": 12345678901234567890,"b": 1.0,"c":2}',
    );
  });
});

describe("withValue", () => {
  it("replaces one value in place and no other byte", () => {
    fc.assert(
      fc.property(texts.object, texts.value, fc.nat(), (object, value, pick) => {
        const spans = [...(membersOf(object) ?? [])];
        fc.pre(spans.length > 0);
        const [key, span] = spans[pick % spans.length] as (typeof spans)[number];
        expect(replaceMember(object, key, value)).toBe(
          object.slice(0, span.start) + value + object.slice(span.end),
        );
      }),
    );
  });

  it("adds a member that does not exist", () => {
    expect(replaceMember('{"a":1.0}', "b", "2")).toBe('{"a":1.0,"b":2}');
    expect(replaceMember("{ }", "b", "2")).toBe('{"b":2}');
  });
});

describe("compact", () => {
  it("keeps every token and drops everything between them", () => {
    fc.assert(
      fc.property(texts.value, texts.space, texts.space, (value, before, after) => {
        const compacted = compact(before + value + after);
        expect(compacted).toBe(tokensOf(value).join(""));
        expect(JSON.parse(compacted)).toEqual(JSON.parse(value));
      }),
      { numRuns: 500 },
    );
  });

  it("keeps white space in strings", () => {
    fc.assert(
      fc.property(stringText, (text) => {
        expect(compact(text)).toBe(text);
      }),
    );
    expect(compact('{ "a b" : " c\\" d " }')).toBe('{"a b":" c\\" d "}');
  });
});

describe("the JSON scanner, on a text that is not JSON,", () => {
  it("never throws and always terminates", () => {
    fc.assert(
      fc.property(garbage, fc.nat(25), (text, from) => {
        for (const span of membersOf(text, from)?.values() ?? [])
          expect(span.end).toBeLessThanOrEqual(text.length + 1);
        elementsOf(text, from);
        withMembers(text, { a: "1" });
        replaceMember(text, "a", "1");
        expect(compact(text).length).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 2000 },
    );
  });
});
