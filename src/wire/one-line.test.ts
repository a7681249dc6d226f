import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cutAt, cuts, jsonTexts } from "../../test/support/json-arbitraries.ts";
import { onOneLine, piecesOnOneLine } from "./lines.ts";

/** Where a reader of some language would end a line. */
// oxlint-disable-next-line no-control-regex -- control characters are what this finds.
const SEPARATOR = /[\n\v\f\r\u001c-\u001f\u0085\u2028\u2029]/;

const { value } = jsonTexts();
/** JSON with every kind of separator that JSON allows. */
const json = fc
  .tuple(
    value,
    fc.constantFrom("\r", "\n", "\r\n", " "),
    fc.constantFrom("\u0085", "\u2028", "\u2029"),
  )
  .map(([inner, space, raw]) => `[${space}${inner},${space}"${raw}é${raw}"${space}]`);

const joined = (pieces: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece)));

describe("a message on one line", () => {
  it("means the same, and no reader finds a second line in it", () => {
    fc.assert(
      fc.property(json, cuts, (text, places) => {
        const pieces = piecesOnOneLine(cutAt(Buffer.from(text), places));
        for (const line of [onOneLine(text), joined(pieces).toString("utf8")]) {
          expect(line).not.toMatch(SEPARATOR);
          expect(JSON.parse(line)).toEqual(JSON.parse(text));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("is not changed if it is one line already", () => {
    const text = '{"a":"é\t\\u2028\\n €–—“” 😀\u2027\u202a\u0084\u0086"}';
    expect(onOneLine(text)).toBe(text);
    const bytes = Buffer.from(text);
    expect(piecesOnOneLine([bytes])).toEqual([bytes]);
    expect(piecesOnOneLine([bytes])[0]).toBe(bytes);
  });

  it("may be bytes that are neither JSON nor UTF-8", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 4 }),
            fc.constantFrom([0xc2], [0x85], [0xe2], [0x80], [0xa8], [0xa9], [0x0b], [0x1c], [0x0d]),
          ),
          { maxLength: 12 },
        ),
        (given) => {
          const pieces = given.map((part) => Buffer.from(part));
          const before = Buffer.concat(pieces);
          const safe = joined(piecesOnOneLine(pieces));
          expect(safe.toString("utf8")).not.toMatch(SEPARATOR);
          expect(Buffer.concat(pieces)).toEqual(before);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("is joined with text in between wherever a separator is cut", () => {
    const cut = [
      Buffer.from([0x22, 0xe2, 0x80]),
      '"',
      Buffer.from([0xe2]),
      Buffer.from([0x80]),
      Buffer.from([0xa8]),
    ];
    expect(joined(piecesOnOneLine(cut)).toString("utf8")).not.toMatch(SEPARATOR);
    expect(joined(piecesOnOneLine(cut)).toString("latin1")).toBe('"\u00e2\u0080"\\u2028');
  });
});
