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

  it("finds the same in plain text as in any other", () => {
    const parts = ["p4ssw0rd", "Secret-", "value", "p4", "ssw0", " ", "-", ".", '","', "x"];
    const redact = redactor(["p4ssw0rd-Secret-value", "another.one.of.them"]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts, "another", "one", "of", "them")), (chosen) => {
        const text = chosen.join("");
        // With a character that is not plain, the text is searched in the usual way.
        expect(`\u0001${redact(text)}`).toBe(redact(`\u0001${text}`));
      }),
      { numRuns: 2000 },
    );
  });

  const LONG = "zQ9/x7+Lm2vT4pKd8RwY1bN6hJ3s";

  it("hides a secret whose characters are escaped in any mixture, also twice", () => {
    const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");
    const byBytes = (character: string, prefix: string): string =>
      Array.from(Buffer.from(character), (byte) => prefix + hex(byte, 2)).join("");
    const ways: ((character: string) => string)[] = [
      (character) => character,
      (character) => byBytes(character, "%"),
      (character) => byBytes(character, "%").toUpperCase(),
      (character) => encodeURIComponent(byBytes(character, "%")),
      (character) => byBytes(character, String.raw`\x`),
      (character) => String.raw`\u${hex(character.charCodeAt(0), 4)}`,
      (character) => String.raw`\\u${hex(character.charCodeAt(0), 4).toUpperCase()}`,
      (character) => String.raw`\u{${hex(character.charCodeAt(0), 1)}}`,
      (character) => `&#${character.charCodeAt(0)};`,
      (character) => `&#x${hex(character.charCodeAt(0), 2)};`,
    ];
    for (const secret of [LONG, SECRET, "hunter2", "schlüssel-größe-1"]) {
      const way = fc.constantFrom(...ways);
      const length = secret.length;
      fc.assert(
        fc.property(fc.array(way, { minLength: length, maxLength: length }), (chosen) => {
          const text = Array.from(secret, (character, at) => chosen[at]?.(character)).join("");
          expect(redactor([secret])(`a ${text} b`)).toBe("a [redacted] b");
        }),
      );
    }
  });

  it.each([
    ["from the middle of it", LONG.slice(5, 20)],
    ["from the middle of it in hexadecimal", Buffer.from(LONG.slice(5, 20)).toString("hex")],
    ["between other words of a log", `${LONG.slice(0, 13)} INFO ${LONG.slice(13)}`],
  ])("hides a part of a long secret %s", (_, text) => {
    const shown = redactor([LONG])(text);
    expect(shown.replaceAll("[redacted]", "").replace(" INFO ", "").length).toBeLessThan(4);
  });

  it("hides most of a secret that is not very long", () => {
    const redact = redactor(["S3cr3t-Pa55wd"]);
    expect(redact("a S3cr3t-Pa55w b")).toBe("a [redacted] b");
    expect(redact("a 3cr3t-Pa55wd b")).toBe("a [redacted] b");
    expect(redact("S3cr3t-Pa")).toBe("S3cr3t-Pa");
  });

  it("hides a secret of several lines as a whole", () => {
    const key = "first line of it\nsecond line\nx";
    for (const text of [key, key.replaceAll("\n", "\r\n"), JSON.stringify(key).slice(1, -1)])
      expect(redactor([key])(`a ${text} b`)).toBe("a [redacted] b");
  });

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
    ["with colons", LONG.replaceAll(/.{4}/g, "$&:")],
    ["with colours", LONG.replaceAll(/.{4}/g, "$&\u001b[1;31m")],
    ["with characters that have no width", LONG.replaceAll(/.{4}/g, "$&\u200b")],
    ["as a fingerprint", Buffer.from(LONG).toString("hex").replaceAll(/..\B/g, "$&:")],
    ["as a list of characters", JSON.stringify([...LONG])],
    ["as a list of bytes", JSON.stringify([...Buffer.from(LONG)])],
    [
      "as a list of hexadecimal bytes",
      Array.from(Buffer.from(LONG), (b) => `0x${b.toString(16)}`).join(", "),
    ],
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
