import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { entryOf, ownSkills } from "./own-skills.ts";
import { childrenOf, entryWith, filesIn } from "./skill-entries.ts";

const NAME = /^(?!.*--)[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/;
const toolbox = (
  name: string,
  description = "Files",
): { name: string; description: string; servers: string[] } => ({
  name,
  description,
  servers: ["one", "two"],
});

describe("the skills of the workbench", () => {
  const odd = ["dev", "Dev.Tools", "dev-tools", "x".repeat(64), 'a "quoted": text'];
  const skills = ownSkills({
    use: "proxy",
    hasScripts: true,
    toolboxes: odd.map((name) => toolbox(name, `Says: "yes", # and\nmore ${"long ".repeat(300)}`)),
  });

  it("are one for its use, one for scripts, and one for each toolbox", () => {
    const names = skills.map(({ frontmatter: { name } }) => name);
    expect(names.slice(0, 5)).toEqual([
      "mcp-workbench",
      "workbench-scripts",
      "toolbox-dev",
      "toolbox-dev-tools",
      "toolbox-dev-tools-2",
    ]);
    expect(new Set(names).size).toBe(odd.length + 2);
    const without = ownSkills({ use: "listed", hasScripts: false, toolboxes: [] });
    expect(without.map(({ frontmatter: { name } }) => name)).toEqual(["mcp-workbench"]);
  });

  it("have legal names, and the frontmatter of their files", () => {
    for (const { uri, frontmatter, text } of skills) {
      expect(frontmatter.name).toMatch(NAME);
      expect(uri).toBe(`skill://workbench/${frontmatter.name}/SKILL.md`);
      expect(frontmatter.description.length).toBeLessThanOrEqual(1024);
      expect(parse(text.split("---\n")[1] ?? "")).toEqual(frontmatter);
    }
  });

  it("have the digests and sizes of their files", () => {
    for (const skill of skills) {
      const digest = `sha256:${createHash("sha256").update(skill.text).digest("hex")}`;
      const size = Buffer.byteLength(skill.text);
      expect(entryOf(skill)).toMatchObject({ resources: [{ uri: skill.uri, digest, size }] });
    }
  });
});

describe("an entry of a server", () => {
  const rename = (uri: string): string => uri.replace("skill://", "skill://dev.docs/");

  it("gets other URIs and keeps all other bytes", () => {
    const entry = `{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","n":1.0,"uri":"skill://x"},"resources":[ {"uri":"skill://a/SKILL.md","digest":"sha256:00","size":1}]}`;
    expect(entryWith(entry, rename)).toBe(
      `{"uri":"skill://dev.docs/a/SKILL.md","frontmatter":{"name":"a","n":1.0,"uri":"skill://x"},"resources":[{"uri":"skill://dev.docs/a/SKILL.md","digest":"sha256:00","size":1}]}`,
    );
  });

  it("may state that its files change", () => {
    const entry = `{"uri":"skill://a/SKILL.md","resources":"dynamic"}`;
    expect(entryWith(entry, rename)).toBe(
      `{"uri":"skill://dev.docs/a/SKILL.md","resources":"dynamic"}`,
    );
    expect(filesIn([{ resources: "dynamic" }, { resources: [null, { uri: 1 }] }, {}])).toEqual([]);
  });
});

it("a directory contains files and directories", () => {
  const files = ["s://a/SKILL.md", "s://a/x/1.txt", "s://a/x/2.txt", "s://ab/SKILL.md"];
  expect(childrenOf("s://a", files)).toEqual([
    { uri: "s://a/SKILL.md", name: "SKILL.md", mimeType: "text/markdown" },
    { uri: "s://a/x", name: "x", mimeType: "inode/directory" },
  ]);
  expect(childrenOf("s://a/x/", files)).toMatchObject([{ name: "1.txt" }, { name: "2.txt" }]);
  expect(childrenOf("s://a/SKILL.md", files)).toEqual([]);
});
