import { describe, expect, it } from "vitest";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import { estimateTokens } from "../../text/estimate-tokens.ts";
import { type OpenAnswer, openToolboxText, unreachable, withOrigin } from "./open-toolbox.ts";

const TOOLS = [
  '{"name":"read","title":"Reads","description":"Reads a file. Slowly.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"head":{"type":"integer","maximum":18446744073709551615}},"required":["path"]}}',
  '{"name":"list","inputSchema":{"type":"object"}}',
];

const toolbox = { name: "dev", settings: { description: "Files" } };
const catalogue = new Catalogue(
  TOOLS.map((text) => ({ text, value: JSON.parse(text) as Record<string, unknown> })),
  () => true,
);
const opened = {
  connected: [
    { server: { name: "fs" }, connection: { catalogue, hello: { instructions: "Be brief." } } },
    {
      server: { name: "empty" },
      connection: { catalogue: Catalogue.EMPTY, hello: { instructions: undefined } },
    },
  ],
  failed: [{ server: "broken", reason: "it is" }],
};

const ask = (answer: Partial<OpenAnswer> = {}): Promise<string> =>
  openToolboxText(toolbox, opened, { budgetTokens: 20_000, ...answer });

const COMMON = { toolbox: "dev", description: "Files", servers_connected: 2 };

describe("the result of open_toolbox", () => {
  it("contains every definition as the server wrote it by default", async () => {
    const text = await ask();
    expect(text).toBe(await ask({ detail: "full" }));
    expect(text).toContain(`${TOOLS[0]?.slice(0, -1)},"toolbox":"dev","server":"fs"}`);
    expect(JSON.parse(text)).toMatchObject({
      ...COMMON,
      tools: [{ name: "read" }, { name: "list" }],
      servers_failed: opened.failed,
      instructions: { fs: "Be brief." },
    });
    expect(JSON.parse(text)).not.toHaveProperty("hint");
  });

  it('contains one line per tool, grouped by server, with detail "signatures"', async () => {
    expect(JSON.parse(await ask({ detail: "signatures" }))).toEqual({
      ...COMMON,
      hint: 'For a schema, call search_tools with the tool name as query, limit 1 and detail "schema"',
      tools: { fs: ["read(path: string, head?: integer) — Reads a file", "list()"], empty: [] },
      servers_failed: opened.failed,
      instructions: { fs: "Be brief." },
    });
  });

  it('contains only names with detail "names"', async () => {
    const answer = JSON.parse(await ask({ detail: "names" })) as Record<string, unknown>;
    expect(answer).toMatchObject({ ...COMMON, tools: { fs: ["read", "list"], empty: [] } });
    expect(answer).not.toHaveProperty("instructions");
  });

  it("names the servers that are still starting, before the tools", async () => {
    const starting = [
      { server: { name: "npm", state: "downloading" } },
      { server: { name: "hung", state: "connecting" } },
    ] as const;
    const answer = await openToolboxText(toolbox, { ...opened, starting }, { budgetTokens: 9999 });
    expect(JSON.parse(answer)).toMatchObject({
      servers_starting: [
        { server: "npm", reason: "it is being downloaded" },
        { server: "hung", reason: "it has not answered yet" },
      ],
      retry: expect.stringContaining("open this toolbox again") as unknown,
    });
    expect(answer.indexOf("servers_starting")).toBeLessThan(answer.indexOf('"tools"'));
  });

  it("is an error only if no server is connected and none will be", () => {
    const { failed } = opened;
    const starting = [{ server: { name: "npm", state: "downloading" } }] as const;
    expect(unreachable(toolbox, { connected: [], failed })?.code).toBe("TOOLBOX_UNREACHABLE");
    expect(unreachable(toolbox, { connected: [], failed, starting })).toBeUndefined();
  });

  it("takes fewer tokens with each lower level of detail", async () => {
    const [full = 0, signatures = 0, names = 0] = await Promise.all(
      (["full", "signatures", "names"] as const).map(async (detail) =>
        estimateTokens(await ask({ detail })),
      ),
    );
    expect(full).toBeGreaterThan(signatures);
    expect(signatures).toBeGreaterThan(names);
  });

  it("starts with a hint how to get less if it exceeds the budget, and leaves nothing out", async () => {
    const full = await ask();
    const above = await ask({ budgetTokens: 100 });
    const { hint, ...rest } = JSON.parse(above) as { hint: string };
    expect(rest).toEqual(JSON.parse(full));
    expect(above).toContain(`"servers_connected":2,"hint":"This answer has about`);
    expect(above.indexOf('"hint"')).toBeLessThan(above.indexOf('"tools"'));
    expect(hint).toContain(`about ${estimateTokens(full)} tokens, more than the budget of 100`);
    for (const detail of ["signatures", "names"] as const)
      expect(hint).toContain(`"${detail}" (about ${estimateTokens(await ask({ detail }))} tokens)`);
  });

  it("contains no hint exactly at the budget", async () => {
    const full = await ask();
    expect(await ask({ budgetTokens: estimateTokens(full) })).toBe(full);
    expect(await ask({ budgetTokens: estimateTokens(full) - 1 })).toContain('"hint"');
  });
});

describe("a definition for a model", () => {
  const text = '{"name":"a","_meta":{"note":"x"},"icons":[],"server":"other","inputSchema":{}}';
  const shown = (isEnforced: boolean): object => {
    const listed = [{ text, value: JSON.parse(text) as Record<string, unknown> }];
    const reviewed = { withheld: new Map<string, string>(), problems: [], isEnforced };
    const { tools } = new Catalogue(listed, () => true, {}, reviewed);
    return [...tools.values()].map((tool) => JSON.parse(withOrigin(tool, "dev", "fs")) as object);
  };
  const own = { name: "a", inputSchema: {}, toolbox: "dev", server: "fs" };

  it("is what the server wrote, with its origin", () => {
    expect(shown(false)).toEqual([{ ...own, _meta: { note: "x" }, icons: [] }]);
  });

  it("has nothing that is not approved, if that is enforced", () => {
    expect(shown(true)).toEqual([own]);
  });
});
