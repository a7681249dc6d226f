/**
 * The time of an answer does not distinguish what a client may not see from what does not exist.
 *
 * Requests for a hidden name and for an absent one alternate in random order, so that everything else that
 * happens on the machine affects both. The measure is the probability that an answer of the one kind takes
 * longer than an answer of the other: 0.5 if the times have the same distribution. For n requests of each kind
 * its standard error is then sqrt((2n + 1) / 12n²), 0.0144 for n = 800; the bound is five of them, so that
 * chance exceeds it once in a million comparisons. A difference of a fifth of the usual variation exceeds it.
 */
import { Agent } from "node:http";
import { describe, expect, it } from "vitest";

import { useToolParams } from "../support/calls.ts";
import { addToken, clientWith } from "../support/access-tokens.ts";
import { perBlock } from "../support/disposables.ts";
import { type Answer, type HttpClient } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { toolbox } from "../support/servers.ts";
import { SEED } from "../support/seed.ts";
import { witnessedServer } from "../support/witnessed-server.ts";

const REQUESTS = 800;
const WARM_UP = 100;
const BOUND = 5 * Math.sqrt((2 * REQUESTS + 1) / (12 * REQUESTS * REQUESTS));

const cleanup = perBlock();

interface Rig {
  readonly workbench: HttpWorkbench;
  readonly token: string;
  /** The session of another principal. */
  readonly foreign: string;
}
let started: Promise<Rig> | undefined;
const rig = (): Promise<Rig> => (started ??= start());

async function start(): Promise<Rig> {
  const server = (name: string) => ({ [name]: witnessedServer(cleanup, name) });
  const workbench = await startHttpWorkbench(cleanup, {
    policy: { rules: [{ tools: ["open/hello"], clients: ["limited"], action: "deny" }] },
    toolboxes: {
      ops: toolbox(server("vault")),
      lab: toolbox({ ...server("hidden"), ...server("open") }),
    },
  });
  const token = await addToken(workbench, "limited", { servers: ["lab/open"] });
  // Everything that is hidden runs, and is known.
  const owner = workbench.client();
  await owner.initialize();
  for (const tool of ["ops/vault/hello", "lab/hidden/hello", "lab/open/hello"])
    await owner.ask("tools/call", useToolParams(tool, {}));
  return { workbench, token, foreign: owner.sessionId ?? "" };
}

function connectedClient({ workbench, token }: Rig, path?: string): HttpClient {
  const client = clientWith(workbench, token, path);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  client.agent = agent;
  cleanup.defer(() => agent.destroy());
  return client;
}

type Send = (name: string) => Promise<Answer>;

/** The probability that an answer about the first name takes longer than one about the second. */
async function compare(send: Send, hidden: string, absent: string): Promise<number> {
  // Not a pattern that something else on the machine could follow.
  let state = SEED;
  const times: { readonly isHidden: boolean; readonly ms: number }[] = [];
  const texts = new Set<string>();
  for (let i = -WARM_UP; i < REQUESTS; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const first = state >>> 31 === 1;
    for (const isHidden of [first, !first]) {
      const name = isHidden ? hidden : absent;
      const began = performance.now();
      const { status, text } = await send(name);
      const ms = performance.now() - began;
      texts.add(`${status} ${text.replaceAll(name, "NAME").replace(/"id":\d+/, "")}`);
      if (i >= 0) times.push({ isHidden, ms });
    }
  }
  expect([...texts]).toHaveLength(1);
  return probabilityOf(times);
}

/** By ranks, as in the test of Mann and Whitney. Equal times do not happen. */
function probabilityOf(
  times: readonly { readonly isHidden: boolean; readonly ms: number }[],
): number {
  const sorted = times.toSorted((a, b) => a.ms - b.ms);
  const ranks = sorted.reduce((sum, { isHidden }, i) => sum + (isHidden ? i + 1 : 0), 0);
  return (ranks - (REQUESTS * (REQUESTS + 1)) / 2) / (REQUESTS * REQUESTS);
}

const [BOX, SERVER] = [
  ["ops", "opz"],
  ["hidden", "hiddex"],
] as const;
const tool = (toolbox: string, server: string, name: string): object => ({
  name: "use_tool",
  arguments: { tool: { toolbox, server, name }, arguments: {} },
});

/** What is asked for: the two names, and the request with one of them. */
const CASES: readonly (readonly [
  what: string,
  names: readonly [hidden: string, absent: string],
  method: string,
  params: (name: string) => object,
])[] = [
  ["a toolbox", BOX, "tools/call", (name) => tool(name, "vault", "hello")],
  ["a server", SERVER, "tools/call", (name) => tool("lab", name, "hello")],
  ["a tool", ["hello", "hallo"], "tools/call", (name) => tool("lab", "open", name)],
  [
    "a toolbox to open",
    BOX,
    "tools/call",
    (name) => ({ name: "open_toolbox", arguments: { toolbox: name } }),
  ],
  [
    "a resource",
    SERVER,
    "resources/read",
    (name) => ({ uri: `workbench://lab/${name}/note://${name}/1` }),
  ],
  ["a prompt", SERVER, "prompts/get", (name) => ({ name: `lab__${name}__greet` })],
];

describe("the time of an answer says nothing about what is hidden", () => {
  it.each(CASES)("legacy, %s", { timeout: 300_000 }, async (_what, names, method, params) => {
    const client = connectedClient(await rig());
    await client.initialize();
    const send: Send = (name) => client.request(method, params(name) as never).done();
    expect(Math.abs((await compare(send, ...names)) - 0.5)).toBeLessThan(BOUND);
  });

  it.each(CASES)("modern, %s", { timeout: 300_000 }, async (_what, names, method, params) => {
    const client = connectedClient(await rig());
    const send: Send = (name) => {
      const given = params(name) as { name?: string; uri?: string };
      const headers = { "mcp-name": given.name ?? given.uri ?? "" };
      return client.modern(method, given, { headers }).done();
    };
    expect(Math.abs((await compare(send, ...names)) - 0.5)).toBeLessThan(BOUND);
  });

  it("a path", { timeout: 300_000 }, async () => {
    const both = await rig();
    const clients = new Map(BOX.map((name) => [name, connectedClient(both, `/mcp/${name}`)]));
    const send: Send = (name) =>
      (clients.get(name as "ops") as HttpClient).request("ping", {}, { id: 1 }).done();
    expect(Math.abs((await compare(send, ...BOX)) - 0.5)).toBeLessThan(BOUND);
  });

  it("a session of another client", { timeout: 300_000 }, async () => {
    const both = await rig();
    const client = connectedClient(both);
    const absent = [...both.foreign].toReversed().join("");
    const send: Send = (id) =>
      client.request("ping", {}, { id: 1, headers: { "mcp-session-id": id } }).done();
    expect(Math.abs((await compare(send, both.foreign, absent)) - 0.5)).toBeLessThan(BOUND);
  });

  it("has been measured sensitively: a difference of a few tens of microseconds shows", async () => {
    const both = await rig();
    const client = connectedClient(both);
    await client.initialize();
    // A longer message takes longer to read.
    const send: Send = (name) =>
      client.request("ping", { padding: name === "long" ? "x".repeat(200_000) : "" }).done();
    expect(Math.abs((await compare(send, "long", "none")) - 0.5)).toBeGreaterThan(BOUND);
  });
});
