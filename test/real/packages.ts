/** The published clients and servers that the full suite runs, at exact versions. */
import type { PublishedPackage } from "./install.ts";

export const CLAUDE_CODE: PublishedPackage = {
  package: "@anthropic-ai/claude-code",
  version: "2.1.197",
  bin: "claude",
  // Puts the program of this platform in place.
  scripts: true,
};
export const CODEX: PublishedPackage = {
  package: "@openai/codex",
  version: "0.166.0",
  bin: "codex",
};
export const GEMINI_CLI: PublishedPackage = {
  package: "@google/gemini-cli",
  version: "0.61.0",
  bin: "gemini",
};
export const OPENCODE: PublishedPackage = {
  package: "opencode-ai",
  version: "1.18.33",
  bin: "opencode",
  // Puts the program of this platform in place.
  scripts: true,
};
export const CLIENT_PACKAGES = [CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE];
