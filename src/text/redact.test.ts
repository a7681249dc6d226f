import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactLines, redactor } from "./redact.ts";

const SECRET = 'p"ss/wörd+ 42?';

const percentEncoded = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const unicodeEscaped = (text: string): string =>
  Array.from(text, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

describe("redactor", () => {
  it.each([
    ["as it is", SECRET],
    ["in JSON", JSON.stringify({ password: SECRET })],
    ["in a URL", `https://example.com/?key=${encodeURIComponent(SECRET)}`],
    ["in hexadecimal", Buffer.from(SECRET).toString("hex")],
    ["in upper-case hexadecimal", Buffer.from(SECRET).toString("hex").toUpperCase()],
    ["with every byte percent-encoded", percentEncoded(SECRET)],
    ["with every byte percent-encoded in upper case", percentEncoded(SECRET).toUpperCase()],
    ["with \\u escapes", unicodeEscaped(SECRET)],
    ["with \\u escapes in JSON", JSON.stringify(unicodeEscaped(SECRET))],
    ["in another case", 'P"SS/WöRD+ 42?'],
    ["broken over two lines", 'p"ss\n/wörd+ 42?'],
    ["broken over many lines", [...SECRET].join("\r\n")],
  ])("hides a secret %s", (_, text) => {
    const shown = redactor([SECRET])(text);
    expect(shown).toContain("[redacted]");
    expect(shown).not.toContain(SECRET);
  });

  const LONG = "zQ9/x7+Lm2vT4pKd8RwY1bN6hJ3s";

  it("hides what is left of a long secret whose end or beginning is cut off", () => {
    const redact = redactor([LONG]);
    fc.assert(
      fc.property(fc.integer({ min: 12, max: LONG.length }), (length) => {
        expect(redact(`a ${LONG.slice(0, length)} b`)).toBe("a [redacted] b");
        expect(redact(`a ${LONG.slice(-length)} b`)).toBe("a [redacted] b");
      }),
    );
    expect(redact(LONG.slice(0, 11))).toBe(LONG.slice(0, 11));
  });

  it.each([
    ["with spaces", [...LONG].join(" ")],
    ["in groups", LONG.replaceAll(/.{8}/g, "$&-")],
    ["backwards", [...LONG].toReversed().join("")],
    ["in base64 of base64", btoa(btoa(LONG))],
  ])("hides a long secret %s", (_, text) => {
    const shown = redactor([LONG])(`a ${text} b`);
    expect(shown).toMatch(/^a .{0,4}\[redacted\].{0,8} b$/);
  });

  it("does not hide the common beginning of addresses", () => {
    const redact = redactor(["postgresql://admin:hunter22hunter22@db.example.com/main"]);
    expect(redact("postgresql://localhost")).toBe("postgresql://localhost");
    expect(redact("postgresql://admin:hunter22hunter22@db")).toBe("[redacted]");
  });

  it("hides a secret that begins before the lines that are shown", () => {
    const lines = ["one", LONG.slice(0, 10), `${LONG.slice(10)} two`, "three"];
    expect(redactLines(redactor([LONG]), lines, 2)).toEqual(["[redacted] two", "three"]);
    expect(redactLines(redactor([LONG]), [], 2)).toEqual([]);
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
