import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "./redact.ts";

const SECRET = 'p"ss/wörd+ 42?';

describe("a redactor", () => {
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

  it("hides it in base64, whatever stands before and behind it", () => {
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

  it("hides the longer of two secrets as a whole", () => {
    expect(redactor(["abcdef", "abcdefghi"])("abcdefghi")).toBe("[redacted]");
  });

  it("leaves everything else as it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redactor([SECRET])(text)).toBe(text);
        expect(redactor([])(text)).toBe(text);
      }),
    );
  });

  it("does not take what is too short for a secret", () => {
    expect(redactor(["abc"])("abc abc")).toBe("abc abc");
  });
});
