import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { shellWords } from "./shell-words.ts";

it("leaves plain words as they are", () => {
  expect(shellWords(["npx", "-y", "@scope/name@1.2", "~/src"])).toBe(
    "npx -y @scope/name@1.2 ~/src",
  );
});

it("means the same words to a shell, whatever is in them", () => {
  const word = fc.string({ unit: "grapheme-ascii" }).filter((text) => !text.startsWith("~"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      const line = `printf '%s\\0' ${shellWords(words)}`;
      const said = execFileSync("/bin/sh", ["-c", line]).toString();
      expect(said).toBe(words.map((one) => `${one}\0`).join(""));
    }),
    { numRuns: 50 },
  );
});
