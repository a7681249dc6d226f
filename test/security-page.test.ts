import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(`${ROOT}SECURITY.md`, "utf8");
const named = [...page.matchAll(/`((?:src|test)\/[\w/.-]+\.ts)`/g)].map(([, file = ""]) => file);

describe("SECURITY.md", () => {
  it("names tests that exist", () => {
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((file) => !existsSync(ROOT + file))).toEqual([]);
  });

  it("names every file of test/security", () => {
    const files = readdirSync(`${ROOT}test/security`).filter((name) => name.endsWith(".test.ts"));
    expect(files.filter((name) => !named.includes(`test/security/${name}`))).toEqual([]);
  });
});
