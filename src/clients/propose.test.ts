import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { anyCharacter } from "../../test/support/any-character.ts";

import type { ServerEntry } from "./canonical.ts";
import { isLegalName, legalName, claimName } from "./names.ts";
import { proposeToolboxes } from "./propose.ts";
import { CATEGORIES } from "./categories.ts";
import type { FoundServer } from "./read.ts";

const found = (name: string, entry: ServerEntry, more: Partial<FoundServer> = {}): FoundServer => ({
  client: "cursor",
  file: "/home/ada/.cursor/mcp.json",
  scope: "user",
  project: undefined,
  name,
  path: ["mcpServers", name],
  entry,
  raw: entry,
  disabled: false,
  isWorkbench: false,
  notes: [],
  problems: [],
  ...more,
});

const npx = (pkg: string, env?: Record<string, string>): ServerEntry => ({
  command: "npx",
  args: ["-y", pkg],
  ...(env && { env }),
});

const shape = (servers: readonly FoundServer[]): Record<string, readonly string[]> =>
  Object.fromEntries(
    proposeToolboxes(servers).toolboxes.map((toolbox) => [
      toolbox.name,
      toolbox.servers.map(({ name }) => name),
    ]),
  );

describe("proposeToolboxes", () => {
  it("groups servers by purpose, with a description that names them", () => {
    const servers = [
      found("github", { url: "https://api.githubcopilot.com/mcp/" }),
      found("files", npx("@modelcontextprotocol/server-filesystem")),
      found("pg", npx("@modelcontextprotocol/server-postgres")),
      found("browser", npx("@playwright/mcp")),
      found("slack", npx("slack-mcp-server")),
      found("aws-docs", { command: "uvx", args: ["awslabs.aws-documentation-mcp-server"] }),
      found("mystery", { command: "/opt/thing" }),
    ];
    expect(shape(servers)).toEqual({
      code: ["github"],
      data: ["pg"],
      ops: ["aws-docs"],
      communication: ["slack"],
      knowledge: ["files"],
      web: ["browser"],
      general: ["mystery"],
    });
    expect(proposeToolboxes(servers).toolboxes[0]?.description).toBe(
      "github: source code, reviews, issues and builds",
    );
  });

  it("does not infer a purpose from the paths a server works on", () => {
    const entry = { command: "npx", args: ["-y", "server-filesystem", "/src/github", "/slack"] };
    expect(Object.keys(shape([found("fs", entry)]))).toEqual(["knowledge"]);
  });

  it("infers a purpose from the project of a program, not from the folders above it", () => {
    const program = (path: string): ServerEntry => ({ command: "node", args: [path] });
    expect(
      shape([
        found("a", program("/home/git/code/web/thing/dist/index.js")),
        found("b", program("C:\\git\\code\\thing\\main.js")),
        found("c", program("/home/ada/code/slack-mcp/build/index.js")),
        found("d", program("~/code/thing/postgres.js")),
      ]),
    ).toEqual({ general: ["a", "b"], communication: ["c"], data: ["d"] });
  });

  it("merges the same server of several clients", () => {
    const { toolboxes } = proposeToolboxes([
      found("Git Hub", npx("server-github@latest", { A: "1", B: "2" })),
      found(
        "github",
        { command: "npx", args: ["server-github"], env: { B: "2", A: "1" } },
        {
          client: "claude-code",
          file: "/home/ada/.claude.json",
        },
      ),
      found(
        "gh",
        { command: "cmd", args: ["/c", "npx", "-y", "server-github"], env: { A: "1", B: "2" } },
        {
          client: "zed",
        },
      ),
      found("web", { url: "https://h/mcp" }),
      found("web2", { url: "https://h/mcp/" }, { client: "zed" }),
    ]);
    const servers = toolboxes.flatMap((toolbox) => toolbox.servers);
    expect(servers.map(({ name, from }) => [name, from.map((s) => s.client)])).toEqual([
      ["github", ["claude-code", "cursor", "zed"]],
      ["web", ["cursor", "zed"]],
    ]);
  });

  it("keeps servers with different files of variables apart", () => {
    const entries = ["/a.env", "/b.env", "/a.env"].map((envFile) => ({ ...npx("x"), envFile }));
    const clients = ["cursor", "claude-code", "windsurf"];
    const servers = entries.map((entry, at) => found("x", entry, { client: clients[at] ?? "" }));
    expect(Object.values(shape(servers)).flat()).toHaveLength(2);
  });

  it("keeps accounts apart, named after their client or project", () => {
    const { toolboxes } = proposeToolboxes([
      found("github", npx("server-github", { GITHUB_TOKEN: "${A}" })),
      found("github", npx("server-github", { GITHUB_TOKEN: "${B}" }), { client: "zed" }),
      found("github", npx("server-github", { GITHUB_TOKEN: "${C}" }), {
        scope: "local",
        project: "/src/shop",
      }),
      found("github", npx("server-github", { GITHUB_TOKEN: "${D}" }), {
        client: "zed",
        file: "/b",
      }),
    ]);
    expect(toolboxes[0]?.servers.map(({ name }) => name)).toEqual([
      "github",
      "github-shop",
      "github-zed",
      "github-zed-2",
    ]);
  });

  it("reports what it left out and why", () => {
    const { toolboxes, skipped } = proposeToolboxes([
      found("workbench", npx("mcp-workbench"), { isWorkbench: true }),
      found("off", npx("x"), { disabled: true }),
      { ...found("odd", {}), entry: undefined, problems: ["it has neither a command nor a url"] },
    ]);
    expect(toolboxes).toEqual([]);
    expect(skipped.map(({ server, reason }) => [server.name, reason])).toEqual([
      ["odd", "it has neither a command nor a url"],
      ["off", "it is disabled"],
      ["workbench", "it is the workbench itself"],
    ]);
  });

  it("puts everything into one toolbox on request", () => {
    const { toolboxes } = proposeToolboxes([found("b", npx("b")), found("a", npx("a"))], {
      toolbox: "mine",
    });
    expect(toolboxes).toMatchObject([
      {
        name: "mine",
        description: "Tools of a, b",
        servers: [{ name: "a" }, { name: "b" }],
      },
    ]);
  });

  it("places every server once, with a legal name, in whatever order they are given", () => {
    const server = fc
      .record({
        name: fc.oneof(fc.string(), fc.constantFrom("github", "GitHub", "a__b", "_x_", "con")),
        pkg: fc.constantFrom("github", "slack", "x"),
        client: fc.constantFrom("cursor", "zed", "claude-code", "file"),
        scope: fc.constantFrom("user", "project", "local"),
        disabled: fc.boolean(),
      })
      .map(({ name, pkg, client, scope, disabled }) =>
        found(name, npx(pkg), { client, scope, disabled, file: `/${client}` }),
      );
    const unique = { selector: (s: FoundServer) => JSON.stringify([s.name, s.client, s.scope]) };
    fc.assert(
      fc.property(fc.uniqueArray(server, { maxLength: 8, ...unique }), (servers) => {
        const proposal = proposeToolboxes(servers);
        expect(proposeToolboxes(servers.toReversed())).toEqual(proposal);
        const placed = proposal.toolboxes.flatMap((toolbox) => toolbox.servers);
        const names = placed.map(({ name }) => name);
        expect(names.every(isLegalName)).toBe(true);
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
        const everything = [
          ...placed.flatMap(({ from }) => from),
          ...proposal.skipped.map(({ server: skipped }) => skipped),
        ];
        expect(new Set(everything)).toEqual(new Set(servers));
        expect(everything).toHaveLength(servers.length);
      }),
    );
  });
});

describe("legal server names", () => {
  it("keep legal characters and replace others", () => {
    expect(legalName("Café Müller/2", "x")).toBe("Cafe-Muller-2");
    expect(legalName("__a__b__", "x")).toBe("a_b");
    expect(legalName("日本", "x")).toBe("x");
    expect(legalName("nul", "x")).toBe("server-nul");
    expect(legalName("constructor", "x")).toBe("server-constructor");
  });

  it("are always legal, and unchanged if they were legal before", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const name = legalName(text, "fallback");
        expect(isLegalName(name)).toBe(true);
        expect(legalName(name, "fallback")).toBe(name);
      }),
    );
  });

  it("get a number if all preferred names are taken", () => {
    const taken = new Set(["a", "b", "b-2"]);
    expect(claimName(["A", "b"], taken)).toBe("b-3");
  });
});

it("no keyword of PURPOSES belongs to two purposes", () => {
  const all = CATEGORIES.flatMap(({ words }) => words);
  expect(all.filter((word, index) => all.indexOf(word) !== index)).toEqual([]);
});
