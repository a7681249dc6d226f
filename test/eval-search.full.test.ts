/**
 * `npm run eval:search`, with a small stand-in for the evaluation, which is not part of the project. It runs
 * the sources without a build, which takes seconds.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { newFolder } from "./support/new-folder.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Measures only when it is started as a program, which it recognises by its own path. */
const EVALUATION = `
import { fileURLToPath } from "node:url";
const scores = { r5: 1, mrr: 1 };
const tools = [{ id: "1", server: "s", name: "read", description: "Read a file", serverDescription: "Files" }];
export const load = () => ({ tools, queries: [{ query: "read a file" }] });
if (fileURLToPath(import.meta.url) === process.argv[1])
  console.log(JSON.stringify({ tools: 1, p50: 1, p95: 1, buildMs: 1, heapIdxMB: 1, metrics: { MACRO: scores, ALL: scores } }));
`;

const folder = newFolder("mcp-workbench-eval");
afterEach(() => rmSync(folder, { recursive: true }));

describe("npm run eval:search", () => {
  it("finds the evaluation through a symbolic link", { timeout: 120_000 }, () => {
    mkdirSync(join(folder, "real", "retrieval"), { recursive: true });
    writeFileSync(join(folder, "real", "retrieval", "evaluate.mjs"), EVALUATION);
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const printed = execFileSync(
      process.execPath,
      ["--import", "tsx", "scripts/eval-search.mjs", "--split", "dev"],
      {
        cwd: ROOT,
        encoding: "utf8",
        env: { ...process.env, WORKBENCH_SHARED: join(folder, "link") },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    expect(printed).toContain("| 1 | 1.000 | 1.000 | 1.000 | 1.000 | 1.00 | 1.00 | 1 | 1 |");
  });
});
