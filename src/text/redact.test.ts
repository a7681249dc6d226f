import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "./redact.ts";

const SECRET = 'p"ss/wörd+ 42?';

describe("redactor", () => {
  it.each([
    ["as it is", SECRET],
    ["in JSON", JSON.stringify({ password: SECRET })],
    ["in a URL", `https://example.com/?key=${encodeURIComponent(SECRET)}`],
    ["in hexadecimal", Buffer.from(SECRET).toString("hex")],
  ])("hides a secret %s", (_, text) => {
    const shown = redactor([SECRET])(text);
    expect(shown).toContain("[redacted]");
    expect(shown).not.toContain(SECRET);
  });

  it("hides a secret in base64, whatever surrounds it", () => {
    const redact = redactor([SECRET]);
    const around = fc.uint8Array({ maxLength: 9 });
    fc.assert(
      fc.property(
        around,
        around,
        fc.constantFrom("base64", "base64url"),
        (before, after, encoding) => {
          const bytes = Buffer.concat([before, Buffer.from(SECRET), after]);
          expect(redact(bytes.toString(encoding as BufferEncoding))).toContain("[redacted]");
        },
      ),
    );
  });

  it("hides the longer of two overlapping secrets as a whole", () => {
    expect(redactor(["abcdef", "abcdefghi"])("abcdefghi")).toBe("[redacted]");
  });

  it("hides a very long secret, and many secrets at once", () => {
    const long = "abcdefgh".repeat(16 * 1024);
    expect(redactor([long])(`a ${long} b`)).toBe("a [redacted] b");
    const many = Array.from({ length: 2000 }, (_, i) => `secret-number-${i}-of-many`);
    expect(redactor(many)(many.join(" "))).toBe(many.map(() => "[redacted]").join(" "));
  });

  it("hides every occurrence in any text", () => {
    const word = fc.constantFrom("abcdef", "defghi", "abcdefghi", " ", "abc", "f");
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const shown = redactor(["abcdef", "defghi", "abcdefghi"])(words.join(""));
        expect(shown).toBe(words.join("").replaceAll(/abcdefghi|abcdef|defghi/g, "[redacted]"));
      }),
    );
  });

  it("reads the secrets when the first text is redacted", () => {
    let asked = 0;
    const redact = redactor(() => [`secret-${++asked}`]);
    expect(asked).toBe(0);
    expect(redact("secret-1 secret-2")).toBe("[redacted] secret-2");
    expect(redact("secret-1")).toBe("[redacted]");
  });

  it("leaves everything else unchanged", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redactor([SECRET])(text)).toBe(text);
        expect(redactor([])(text)).toBe(text);
      }),
    );
  });

  it("ignores secrets that are too short", () => {
    expect(redactor(["abc"])("abc abc")).toBe("abc abc");
  });
});
