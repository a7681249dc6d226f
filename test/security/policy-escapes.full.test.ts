/**
 * What a policy denies does not reach a server, however a call is written: in both eras and three modes, over both
 * transports. The server records all that it receives. In the full suite because it sends thousands of messages;
 * `test/access/policy-surfaces.full.test.ts` has a few of them in every combination.
 */
import { existsSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { META, MODERN } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import type { Config } from "../support/servers.ts";
import { startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const RECORDING = new URL("../fixtures/recording-server.mjs", import.meta.url).pathname;
const MODES = ["proxy", "dynamic", "transparent"] as const;
type Mode = (typeof MODES)[number];

function configWith(mode: Mode, witness: string): object {
  const recording = (name: string): object => ({
    command: process.execPath,
    args: [RECORDING, "readline"],
    env: { WITNESS: `${witness}-${name}` },
  });
  const rules = [
    { tools: ["rec/delete_*"], action: "deny" },
    { tools: ["rec/safe"], arguments: { repo: ["prod*"] }, action: "deny" },
    { tools: ["rec/safe"], arguments: { "at.n": ["5"] }, action: "deny" },
    { tools: ["concealed/*"], action: "deny" },
  ];
  const servers = {
    rec: recording("rec"),
    concealed: { ...recording("concealed"), policy: { default: "deny" } },
  };
  return {
    toolMode: mode === "dynamic" ? "dynamic" : "proxy",
    policy: { rules },
    toolboxes: { dev: { description: "Tools", mcpServers: servers } },
  };
}

const NAMES = [
  "delete_all",
  "DELETE_ALL",
  "Delete_All",
  "delete_all ",
  " delete_all",
  "delete_all\\u0000",
  "delete\\u005fall",
  "\\uff44elete_all",
  "d\\u200belete_all",
  "safe/../delete_all",
  "./delete_all",
  "/delete_all",
  "rec/delete_all",
  "dev/rec/delete_all",
  "rec__delete_all",
  "dev__rec__delete_all",
  "safe\\ndelete_all",
];

/** Arguments in which at least some reader finds the repository `prod` or the number 5. */
const ARGUMENTS = [
  '{"repo":"prod"}',
  '{"repo":"\\u0070rod"}',
  '{"repo":"p\\u0072od-1"}',
  '{"r\\u0065po":"prod"}',
  '{"repo":"site","repo":"prod"}',
  '{"repo":"prod","repo":"site"}',
  '{"repo":"site","Repo":"prod"}',
  '{"REPO":"prod","repo":"site"}',
  '{"repo":"site","rep\\u006f":"prod"}',
  '{"repo":["prod"]}',
  '{"repo":["site",["prod"]]}',
  '{"repo":["site","prod"],"x":1}',
  '{"at":{"n":5},"repo":"prod-x"}',
  '{"at":{"n":1,"n":5,"prod":0}}',
  '{"at":{"n":1},"at":{"n":5,"prod":0}}',
  '{"at":[{"n":1},{"n":5,"prod":0}]}',
  '{"at":{"n":"5","prod":0}}',
  '{"at":{"n":5,"prod":0},"At":{"n":1}}',
  ' { "repo" : "prod" } ',
  '"{\\"repo\\":\\"prod\\"}"',
  '[{"repo":"prod"}]',
];

/** The parameters of calls that must not reach the server, as they are written. */
function callsIn(mode: Mode): string[] {
  const own = mode === "transparent" ? "" : "dev__rec__";
  const tool = (name: string): string => `{"toolbox":"dev","server":"rec","name":${name}}`;
  const use = (inner: string): string => `"name":"use_tool","arguments":{${inner}}`;
  const safe = tool('"safe"');
  return [
    ...NAMES.flatMap((name) => [
      `"name":"${own}${name}","arguments":{}`,
      `"name":"${name}","arguments":{}`,
      use(`"tool":${tool(`"${name}"`)},"arguments":{}`),
      use(`"tool":"${name}","arguments":{}`),
      use(`"tool":"dev/rec/${name}","arguments":{}`),
      use(`"toolbox":"dev","server":"rec","tool":"${name}","arguments":{}`),
      use(`"toolbox":"dev","server":"rec","name":"${name}","arguments":{}`),
      use(`"tool":{"toolbox":"dev","server":"rec","name":"safe","name":"${name}"},"arguments":{}`),
      use(`"tool":{"toolbox":"dev","server":"rec","name":"${name}","Name":"safe"},"arguments":{}`),
      use(`"tool":${safe},"tool":${tool(`"${name}"`)},"arguments":{}`),
      `"name":"${own}safe","name":"${own}${name}","arguments":{}`,
      `"name":"${own}safe","Name":"${own}${name}","arguments":{}`,
      `"name":"${own}${name}","arguments":{},"task":{"ttl":60000}`,
    ]),
    ...ARGUMENTS.flatMap((args) => [
      `"name":"${own}safe","arguments":${args}`,
      `"name":"${own}safe","arguments":{},"arguments":${args}`,
      `"name":"${own}safe","arguments":{"repo":"site"},"Arguments":${args}`,
      `"arguments":${args},"name":"${own}safe","task":{"ttl":60000}`,
      use(`"tool":${safe},"arguments":${args}`),
      use(`"arguments":${args},"tool":${safe}`),
      use(`"tool":${safe},"arguments":{"repo":"site"},"arguments":${args}`),
      use(`"tool":${safe},"arguments":{"repo":"site"},"\\u0061rguments":${args}`),
      use(`"tool":"dev/rec/safe","arguments":${args}`),
    ]),
  ];
}

/** Whole messages; `{META}` is what a request of the era carries. */
function messagesIn(mode: Mode): string[] {
  const denied = mode === "transparent" ? "delete_all" : "dev__rec__delete_all";
  const call = `"params":{"name":"${denied}","arguments":{},{META}}`;
  const methods = ["Tools/Call", " tools/call", "tools/call ", "TOOLS/CALL", "tools\\u002fcall\\n"];
  const at = ["dev__concealed__x", "x"].map((name) => `"name":"${name}"`);
  const uri = '"uri":"workbench://dev/concealed/note://x"';
  const ref = `"ref":{"type":"ref/prompt","name":"dev__concealed__x"},"argument":{"name":"a","value":""}`;
  const others: readonly (readonly [string, string])[] = [
    ...at.map((name) => ["prompts/get", name] as const),
    ["resources/read", uri],
    ["resources/subscribe", uri],
    ["resources/unsubscribe", uri],
    ["completion/complete", ref],
    ["tasks/get", '"taskId":"dev__concealed__1"'],
    ["tasks/cancel", '"taskId":"concealed/1"'],
    ["tools/call", '"name":"open_toolbox","arguments":{"toolbox":"dev/concealed"}'],
    ["tools/call", '"name":"search_tools","arguments":{"query":"concealed delete all"}'],
    ["tools/call", '"name":"open_toolbox","arguments":{"toolbox":"dev"}'],
    ["tools/list", '"cursor":""'],
    ["prompts/list", '"x":1'],
    ["resources/list", '"x":1'],
    ["resources/templates/list", '"x":1'],
    ["server/discover", '"x":1'],
  ];
  return [
    ...callsIn(mode).map((params) => `"method":"tools/call","params":{${params},{META}}`),
    ...methods.map((method) => `"method":"${method}",${call}`),
    `"method":"ping","method":"tools/call",${call}`,
    `"method":"tools/call","Method":"ping",${call}`,
    `"method":"tools/call","params":{{META}},${call}`,
    `"method":"tools/call",${call},"Params":{}`,
    ...others.map(([method, params]) => `"method":"${method}","params":{${params},{META}}`),
  ];
}

const ENVELOPE = `"_meta":${JSON.stringify({
  [`${META}protocolVersion`]: MODERN,
  [`${META}clientCapabilities`]: {},
  [`${META}clientInfo`]: { name: "escaping", version: "1.0.0" },
})}`;
const textFor = (era: "legacy" | "modern", message: string, id: number): string => {
  const meta = era === "modern" ? ENVELOPE : '"_meta":{}';
  return `{"jsonrpc":"2.0","id":${id},${message.replaceAll("{META}", meta)}}`;
};

/** The calls that the server has received, and whether one of them was denied. */
function received(witness: string): { readonly calls: string[]; readonly denied: string[] } {
  const file = `${witness}-rec`;
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const calls = lines.filter((line) => /tools\W*call/i.test(line));
  return { calls, denied: calls.filter((line) => /delete|\bp\W*rod|u0070|u0072/i.test(line)) };
}

describe.each(MODES)("a policy in %s mode", (mode) => {
  it("lets nothing through that it denies, in both eras over both transports", async () => {
    const witness = join(temporaryFolder(cleanup), "witness");
    const config = configWith(mode, witness) as Config;
    const args = ["serve", ...(mode === "transparent" ? ["--server", "dev/rec"] : [])];
    const { client, stop } = await startWorkbench(cleanup, config, { args });
    const workbench = await startHttpWorkbench(cleanup, config);
    const front = workbench.client(mode === "transparent" ? "/mcp/dev/rec" : "/mcp");
    await front.initialize();
    const open = { name: "open_toolbox", arguments: { toolbox: "dev" } };
    if (mode !== "transparent") {
      await client.request("tools/call", open);
      await front.ask("tools/call", open);
    }
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    cleanup.defer(() => agent.destroy());
    front.agent = agent;
    let id = 1_000_000;
    const sent = messagesIn(mode).flatMap((message) =>
      (["legacy", "modern"] as const).map(async (era) => {
        const text = textFor(era, message, ++id);
        client.sendLine(text);
        const method = /"method":"([\w/]+)"/.exec(message)?.[1] ?? "x";
        const names = { "mcp-method": method, "mcp-name": "use_tool" };
        const headers = era === "modern" ? { "mcp-protocol-version": MODERN, ...names } : {};
        return (await front.post(text, headers).done()).text;
      }),
    );
    const answers = await Promise.all(sent);
    // A notification is not a call, and a list is not a message.
    const call = `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete_all"}}`;
    for (const text of [call, `[${call}]`]) {
      client.sendLine(text);
      await front.post(text).done();
    }
    const safe = { name: mode === "transparent" ? "safe" : "dev__rec__safe", arguments: {} };
    const tool = { toolbox: "dev", server: "rec", name: "safe" };
    const allowed = mode === "proxy" ? { name: "use_tool", arguments: { tool } } : safe;
    expect(JSON.stringify(await client.request("tools/call", allowed))).toContain("ran safe");
    expect(JSON.stringify(await front.ask("tools/call", allowed))).toContain("ran safe");
    const { calls, denied } = received(witness);
    expect(denied).toEqual([]);
    expect(calls.length).toBeGreaterThanOrEqual(2);
    expect(existsSync(`${witness}-concealed`)).toBe(false);
    // No answer names what is hidden, unless the client did.
    const listed = answers.filter((text) => /"tools":\[|Matches|instructions/.test(text));
    expect(listed.join("\n")).not.toMatch(/delete_all|concealed/);
    await stop();
  });
});
