import { describe, expect, it } from "vitest";

import { FakeClient, fakeServer } from "../../../test/support/fake-client.ts";
import { FakeConnection, settingsWith } from "../../../test/support/fake-connection.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import type { KnownTools } from "./meant-tools.ts";
import { useToolHint } from "./use-tool-hint.ts";

const SERVERS: readonly [toolbox: string, server: string, tools?: readonly string[]][] = [
  ["code", "github", ["create_issue", "list_issues", "a/b", "x__y", "repo.get"]],
  ["code", "gitlab", ["create_issue"]],
  ["code", "fresh"],
  ["my-notes", "github", ["other_issue"]],
  ["my-notes", "notion", ["create_page"]],
  ["my-notes", "off"],
];

const FOR_PAGES = { name: "refresh_page", _meta: { ui: { visibility: ["app"] } } };

const servers = SERVERS.map(([toolbox, name]) =>
  fakeServer(new FakeConnection(settingsWith({ toolbox, name, disabled: name === "off" }))),
);
const { scope } = new FakeClient(servers);
const known: KnownTools = {
  load: async ({ settings }) => {
    const found = SERVERS.find(
      ([toolbox, server]) => toolbox === settings.toolbox && server === settings.name,
    );
    const tools = found?.[2];
    if (tools === undefined) return undefined;
    const catalogue = new Catalogue(
      [...tools.map((name) => ({ name })), FOR_PAGES].map((value) => ({
        value,
        text: JSON.stringify(value),
      })),
      () => true,
    );
    return { catalogue } as Awaited<ReturnType<KnownTools["load"]>>;
  },
};

/** The tools that are suggested for the identifier, as paths. */
async function suggested(tool: unknown): Promise<string[]> {
  const hint = await useToolHint(JSON.stringify({ tool, arguments: { a: 1 } }), scope, known);
  const found = hint.matchAll(/"toolbox":"([^"]+)","server":"([^"]+)","name":"([^"]+)"/g);
  return Array.from(found, ([, ...names]) => names.join(" "));
}

const NONE = ["TOOLBOX SERVER TOOL"];

describe("the call suggested for a malformed one", () => {
  it.each<[unknown, string]>([
    ["code/github/create_issue", "code github create_issue"],
    ["/code/github/create_issue/", "code github create_issue"],
    [" code / github / create_issue ", "code github create_issue"],
    ["code:github:create_issue", "code github create_issue"],
    ["code > github > create_issue", "code github create_issue"],
    ["code\\github\\create_issue", "code github create_issue"],
    ["code.github/create_issue", "code github create_issue"],
    ["CODE/GitHub/createIssue", "code github create_issue"],
    ["code/github/create_issue(title: string)", "code github create_issue"],
    ["mcp__workbench__code__github__create_issue", "code github create_issue"],
    ["github.list_issues", "code github list_issues"],
    ["code/list_issues", "code github list_issues"],
    ["a/b", "code github a/b"],
    ["x__y", "code github x__y"],
    ["github.repo.get", "code github repo.get"],
    ["my_notes-notion create page", "my-notes notion create_page"],
    ["code/fresh/Unknown_Tool", "code fresh Unknown_Tool"],
    ["Code.Fresh.unknown", "code fresh unknown"],
    ["fresh:unknown", "code fresh unknown"],
    ["cdoe/github/new_tool", "code github new_tool"],
    ["code/githbu/new_tool", "code github new_tool"],
  ])("is the tool that is meant by %j", async (tool, meant) => {
    expect((await suggested(tool))[0]).toBe(meant);
  });

  it.each<[string, unknown, readonly string[]]>([
    [
      "without a toolbox",
      { server: "github", name: "other_issue" },
      ["my-notes github other_issue"],
    ],
    ["in another toolbox", "my-notes/github/create_issue", ["code github create_issue"]],
    ["of an unknown toolbox", "nope/github/other_issue", ["my-notes github other_issue"]],
  ])("is on the server that has the tool: %s", async (_what, tool, meant) => {
    expect(await suggested(tool)).toEqual(meant);
  });

  it("can be copied even if the arguments are long", async () => {
    const text = "x".repeat(5000);
    const input = JSON.stringify({ tool: "code/github/create_issue", arguments: { text } });
    expect(await useToolHint(input, scope, known)).toBe(
      'Call use_tool with "tool":{"toolbox":"code","server":"github","name":"create_issue"} and, in "arguments", the arguments that you sent, as one JSON object',
    );
  });

  it("names every tool that may be meant", async () => {
    expect(await suggested("create_issue")).toEqual([
      "code github create_issue",
      "code gitlab create_issue",
    ]);
    expect(await suggested("github/brand_new")).toEqual([
      "code github brand_new",
      "my-notes github brand_new",
    ]);
  });

  it("does not show whether a tool that is only for pages exists", async () => {
    const hintFor = (name: string) =>
      useToolHint(JSON.stringify({ tool: `my-notes__notion__${name}` }), scope, known);
    const unknown = await hintFor("zzz");
    expect(await hintFor("refresh_page")).toBe(unknown.replace("zzz", "refresh_page"));
  });

  it.each<[string, string]>([
    ["private/vault/get_secret", "Toolbox 'private' not found. Available: code, my-notes"],
    [
      "code/database/query",
      "Server 'database' not found in toolbox 'code'. Available: github, gitlab, fresh",
    ],
    ["my-notes/off/read", "Server 'off' is disabled"],
    ["get_secret", "search_tools finds the names"],
    ["vault/get_secret", "search_tools finds the names"],
  ])("is only the form if no call can work, with the reason: %s", async (tool, reason) => {
    expect(await suggested(tool)).toEqual(NONE);
    const hint = await useToolHint(JSON.stringify({ tool }), scope, known);
    expect(hint.endsWith(`}. ${reason}`)).toBe(true);
  });
});
