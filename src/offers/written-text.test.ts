import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { expandText } from "../config/canonical/expand.ts";
import { type WrittenPart, writtenText } from "./written-text.ts";

const publisher = (text: string): WrittenPart => ({ text, from: "publisher" });
const user = (text: string): WrittenPart => ({ text, from: "user" });
const NOTHING = { used: () => {}, refersTo: () => {}, malformed: () => {} };

describe("writtenText", () => {
  it("keeps the references of the user", () => {
    expect(writtenText([publisher("Bearer "), user("${TOKEN}")])).toBe("Bearer ${TOKEN}");
  });

  it("writes the texts of a publisher so that nothing in them is expanded", () => {
    const piece = fc.constantFrom("$", "{", "}", "${", "$${", "keychain:X", "HOME", "a");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const written = writtenText(pieces.map(publisher));
        expect(expandText(written, { HOME: "expanded" }, NOTHING)).toBe(pieces.join(""));
      }),
    );
  });

  it.each([
    [[publisher("$"), user("{A}")]],
    [[publisher("$"), user("${A}")]],
    [[user("x$"), publisher("{keychain:GITHUB_TOKEN}")]],
  ])("refuses texts that become a reference together: %j", (parts) => {
    expect(() => writtenText(parts)).toThrow("would be read as a variable");
  });
});
