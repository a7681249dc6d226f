import { describe, expect, it } from "vitest";

import { findServerEntry } from "./config-entry.ts";

const TOOLBOXES = new Map([
  ["code", new Set(["github", "jira"])],
  ["web", new Set(["github", "browser"])],
]);

describe("a word that names no server", () => {
  it.each([
    ["nothing", "No toolbox has a server 'nothing'", "Available: github, jira, browser"],
    ["code", "'code' is a toolbox, not a server", "Its servers are code/github, code/jira"],
    ["github", "Several toolboxes have a server 'github'", "code/github or web/github"],
  ])("%s is refused with its alternatives", (word, reason, hint) => {
    expect(() => findServerEntry(word, TOOLBOXES)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(reason) as string,
        hint: expect.stringContaining(hint) as string,
      }) as Error,
    );
  });
});
