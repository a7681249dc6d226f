/**
 * Skills in every mode and era. `npm test` has one client of the started program instead
 * (apps-and-skills.test.ts).
 */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import {
  CELLS,
  type Cell,
  type Request,
  inProcessClient,
  inProcessWorkbench,
} from "../support/in-process-clients.ts";
import { dev, extended } from "../support/servers.ts";
import { prepareWorkbench, runCommand, startIn } from "../support/workbench.ts";

const cleanup = perTest();
const PLACE = { toolbox: "dev", server: "docs" };
const cells = CELLS.filter(({ transport }) => transport === "stdio");

interface Skill {
  readonly uri: string;
  readonly frontmatter: { readonly name: string; readonly description: string };
  readonly resources: readonly { uri: string; digest: string; size: number }[];
}

async function connect(cell: Cell): Promise<Request> {
  const mcpServers = { docs: extended("--skills") };
  const toolboxes = { dev: { description: "Documents", mcpServers } };
  const scripts = { enabled: true };
  const workbench = await inProcessWorkbench(cleanup, { toolboxes, scripts }, cell.mode);
  const request = await inProcessClient(cleanup, workbench, cell, PLACE);
  if (cell.mode === "proxy")
    await request("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
  return request;
}

async function list(request: Request): Promise<readonly Skill[]> {
  const skills: Skill[] = [];
  let cursor: string | undefined;
  do {
    const { result } = await request("skills/list", cursor === undefined ? {} : { cursor });
    const page = result as unknown as { skills: Skill[]; nextCursor?: string };
    skills.push(...page.skills);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return skills;
}

async function read(request: Request, uri: string): Promise<string> {
  const { result } = await request("resources/read", { uri });
  const { contents } = result as unknown as { contents: { uri: string; text: string }[] };
  expect(contents[0]?.uri).toBe(uri);
  return contents[0]?.text ?? "";
}

describe.each(cells)("skills, $mode, $era", (cell) => {
  const isTransparent = cell.mode === "transparent";
  const uri = (rest: string): string => `skill://${isTransparent ? "" : "dev.docs/"}${rest}`;

  it("lists them with files whose digests are right", async () => {
    const request = await connect(cell);
    const skills = await list(request);
    expect(skills.slice(0, 2)).toMatchObject([
      { uri: uri("pdf-processing/SKILL.md"), frontmatter: { metadata: { version: "1.0" } } },
      { uri: uri("git-workflow/SKILL.md"), frontmatter: { name: "git-workflow" } },
    ]);
    const own = skills.slice(2).map(({ frontmatter: { name } }) => name);
    expect(own).toEqual(isTransparent ? [] : ["mcp-workbench", "workbench-scripts", "toolbox-dev"]);
    for (const file of skills.flatMap(({ resources }) => resources)) {
      const text = await read(request, file.uri);
      const digest = createHash("sha256").update(text).digest("hex");
      expect(file).toMatchObject({ digest: `sha256:${digest}`, size: Buffer.byteLength(text) });
    }
  });

  it("finds one of them by its URI", async () => {
    const request = await connect(cell);
    for (const skill of await list(request)) {
      const { result } = await request("skills/get", { uri: skill.uri });
      expect(result).toMatchObject({ skill });
    }
    const { error } = await request("skills/get", { uri: "skill://nothing/SKILL.md" });
    expect(error).toMatchObject({ code: -32602 });
  });

  it("reads directories", async () => {
    const request = await connect(cell);
    const directory = { uri: uri("pdf-processing") };
    const { result } = await request("resources/directory/read", directory);
    expect(result).toMatchObject({
      resources: [
        { uri: uri("pdf-processing/SKILL.md"), mimeType: "text/markdown" },
        { uri: uri("pdf-processing/references"), mimeType: "inode/directory" },
      ],
    });
    const file = { uri: uri("pdf-processing/SKILL.md") };
    const { error } = await request("resources/directory/read", file);
    expect(error).toMatchObject({ code: -32602 });
  });
});

describe("a fresh workbench", () => {
  it.each(["proxy", "dynamic"] as const)(
    "lists the skills of servers that never ran, %s",
    async (toolMode) => {
      const place = prepareWorkbench(cleanup, { ...dev({ docs: extended("--skills") }), toolMode });
      const { client } = await startIn(cleanup, place);
      const { result } = await client.request("skills/list", {});
      expect(JSON.stringify(result)).toMatch("skill://dev.docs/pdf-processing/SKILL.md");
    },
  );

  it("says which servers are missing if it may not start them", async () => {
    const config = { ...dev({ docs: extended("--skills") }), discovery: "off" };
    const { client } = await startIn(cleanup, prepareWorkbench(cleanup, config));
    const { result } = await client.request("skills/list", {});
    expect(result).toMatchObject({
      _meta: { "mcp-workbench/missing": [{ toolbox: "dev", server: "docs" }] },
    });
  });
});

describe("a server with skills and an enforced lock file", () => {
  it("has no skills: they are not listed, found, or read", async () => {
    const config = { ...dev({ docs: extended("--skills") }), pins: "enforce" };
    const place = prepareWorkbench(cleanup, config);
    expect(runCommand(place, "lock")).toMatchObject({ code: 0 });
    for (const args of [[], ["--server", "dev/docs"]]) {
      const { client } = await startIn(cleanup, { ...place, args: [...place.args, ...args] });
      const uri = args.length === 0 ? "skill://dev.docs/" : "skill://";
      const { result } = await client.request("skills/list", {});
      expect(JSON.stringify(result)).not.toMatch("pdf-processing");
      const skill = { uri: `${uri}pdf-processing/SKILL.md` };
      expect((await client.request("skills/get", skill)).error).toBeDefined();
      expect((await client.request("resources/read", skill)).error).toBeDefined();
      const resources = await client.request("resources/list", {});
      expect(JSON.stringify(resources.result)).not.toMatch("pdf-processing");
      const folder = { uri: `${uri}pdf-processing` };
      expect((await client.request("resources/directory/read", folder)).error).toBeDefined();
      if (args.length > 0) continue;
      const own = { uri: "skill://workbench/mcp-workbench/SKILL.md" };
      expect((await client.request("resources/read", own)).result).toBeDefined();
    }
  });
});
