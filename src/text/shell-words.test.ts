import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { shellWords } from "./shell-words.ts";

it("shellWords leaves plain words unquoted", () => {
  expect(shellWords(["npx", "-y", "@scope/name@1.2", "~/src"])).toBe(
    "npx -y @scope/name@1.2 ~/src",
  );
});

it("shellWords quotes any words so that a shell reads the same words", () => {
  const word = fc.string({ unit: "grapheme-ascii" }).filter((text) => !text.startsWith("~"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
      const line = `printf '%s\\0' ${shellWords(words)}`;
      const output = execFileSync("/bin/sh", ["-c", line]).toString();
      expect(output).toBe(words.map((one) => `${one}\0`).join(""));
    }),
    { numRuns: 100 },
  );
});
