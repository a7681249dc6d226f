import { describe, expect, it } from "vitest";

import { redactor } from "./redact.ts";
import { redactStart } from "./redact-start.ts";

const SECRET = "correct-horse-battery-staple";

describe("the start of a long text", () => {
  it("is all of a text that is not long", () => {
    const text = `before ${SECRET} after`;
    expect(redactStart(redactor([SECRET]), text)).toBe("before [redacted] after");
  });

  it("is redacted and short", () => {
    const text = `${SECRET} ${"word ".repeat(1_000_000)}`;
    const start = redactStart(redactor([SECRET]), text);
    expect(start).toMatch(/^\[redacted\] word .*…$/);
    expect(start.length).toBeLessThan(20_000);
  });

  it("shows no part of a secret, wherever the text is cut", () => {
    const redact = redactor(["abc123", SECRET]);
    for (let before = 0; before < 40; before++) {
      const text = `${"x".repeat(before)}${`abc123 ${SECRET} `.repeat(10_000)}`;
      expect(redactStart(redact, text).replace(/^x*/, "")).toMatch(
        /^(\[redacted\]\s?)*\[?\w*\]?…$/,
      );
      expect(redactStart(redact, text)).not.toMatch(/abc|corr|staple/);
    }
  });
});
