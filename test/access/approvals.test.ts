/** Calls that a policy asks about: answered in a form, in a terminal, late, twice, by others, not at all. */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../support/new-folder.ts";
import { approvalsFile } from "../../src/access/approvals/approvals-file.ts";
import {
  answerApproval,
  pendingApprovals,
  standingOf,
  watchApprovals,
} from "../../src/access/approvals/manage-approvals.ts";
import {
  GENEROUS_MS,
  LEGACY,
  META,
  MODERN,
  type Message,
  type Params,
} from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import { LineClient } from "../support/line-client.ts";
import { ERAS, inProcessWorkbench } from "../support/in-process-clients.ts";

const cleanup = perTest();
const RECORDING = new URL("../fixtures/recording-server.mjs", import.meta.url).pathname;
type Era = (typeof ERAS)[number];

let folder = "";
beforeEach(() => {
  folder = newFolder("approvals");
  writeFileSync(join(folder, "witness"), "");
  vi.stubEnv("XDG_STATE_HOME", folder);
  cleanup.defer(async () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
});

const file = (): string => approvalsFile();
const pending = (): readonly { readonly id: string; readonly shown: readonly string[] }[] =>
  pendingApprovals(file());

/** The arguments of the calls that reached the server. */
function reached(): unknown[] {
  return readFileSync(join(folder, "witness"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(JSON.parse(line) as string) as Message)
    .filter(({ method }) => method === "tools/call")
    .map(({ params }) => params?.["arguments"]);
}

/** How the user of a client answers a form; undefined if the client cannot show one. */
type Answer = ((params: Params) => object | Promise<object>) | undefined;

interface Client {
  /** Calls `delete_all`, and returns the text of the result. */
  call(args: Params, name?: string): Promise<string>;
  readonly forms: Params[];
  /** Changes the policy, and settings of the server, while the client is connected. */
  setAction(action: string, settings?: object): Promise<void>;
  /** Ends the connection to the server. */
  disconnect(): Promise<void>;
}

interface ClientOptions {
  readonly era: Era;
  readonly answer?: Answer;
  readonly waitMs?: number;
  readonly rule?: object;
  /** How the server is started. */
  readonly args?: readonly string[];
  /** More settings of the server. */
  readonly settings?: object;
  /** More of the envelope of a modern client. */
  readonly envelope?: object;
}

async function newClient({
  era,
  answer,
  waitMs = 60_000,
  rule = {},
  args = [],
  settings = {},
  envelope = {},
}: ClientOptions): Promise<Client> {
  const env = { WITNESS: join(folder, "witness") };
  const rec = { command: process.execPath, args: [RECORDING, "readline", ...args], env };
  const config = (action: string, more: object): object => ({
    approvals: { waitMs },
    policy: { rules: [{ tools: ["rec/delete_all"], action, reason: "it deletes", ...rule }] },
    toolboxes: { dev: { description: "d", mcpServers: { rec: { ...rec, ...more } } } },
  });
  const workbench = await inProcessWorkbench(cleanup, config("ask", settings));
  const setAction = async (action: string, more = settings): Promise<void> =>
    workbench.apply((await inProcessWorkbench(cleanup, config(action, more))).settings);
  const disconnect = async (): Promise<void> => workbench.toolboxes.get("dev")?.disconnect();
  const client = new LineClient(workbench, { scope: workbench.toolboxes });
  cleanup.defer(() => client.close());
  const capabilities =
    answer === undefined ? {} : { elicitation: era === "legacy" ? {} : { form: {} } };
  const forms: Params[] = [];
  const answerForm = async (params: Params): Promise<object> => {
    forms.push(params);
    return (await answer?.(params)) ?? { action: "cancel" };
  };
  client.responders.set("elicitation/create", answerForm);
  const meta = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientCapabilities`]: capabilities,
    [`${META}clientInfo`]: { name: "a", version: "1" },
    ...envelope,
  };
  const request = (method: string, params: Params): Promise<Message> =>
    client.ask(method, era === "modern" ? { ...params, _meta: meta } : params);
  if (era === "legacy")
    await request("initialize", {
      protocolVersion: LEGACY,
      capabilities,
      clientInfo: { name: "a", version: "1" },
    });
  const call = async (args: Params, name = "delete_all", more: Params = {}): Promise<string> => {
    const tool = { toolbox: "dev", server: "rec", name };
    const params = { name: "use_tool", arguments: { tool, arguments: args }, ...more };
    const { result } = await request("tools/call", params);
    const asked = result?.["inputRequests"] as
      | Readonly<Record<string, { params: Params }>>
      | undefined;
    if (asked === undefined) return result?.content?.[0]?.text ?? "";
    const inputResponses: Record<string, object> = {};
    for (const [key, { params: form }] of Object.entries(asked))
      inputResponses[key] = await answerForm(form);
    return call(args, name, { inputResponses, requestState: result?.["requestState"] });
  };
  return { call: (args, name) => call(args, name), forms, setAction, disconnect };
}

const decide = (decision: string) => (): object => ({ action: "accept", content: { decision } });

describe.each(ERAS)("an approval in a form (%s)", (era) => {
  it("lets exactly one call pass with the decision 'once'", async () => {
    const { call, forms } = await newClient({ era, answer: decide("once") });
    expect(await call({ repo: "a" })).toBe("ran delete_all");
    expect(await call({ repo: "a" })).toBe("ran delete_all");
    expect(forms).toHaveLength(2);
    expect(forms[0]).toMatchObject({
      message: expect.stringMatching(
        /Allow tool 'delete_all' of server 'rec'[^]*repo: a[^]*it deletes/,
      ),
      requestedSchema: {
        required: ["decision"],
        properties: { decision: { enum: ["once", "session", "always", "deny"] } },
      },
    });
    expect(pending()).toEqual([]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(await call({}, "safe")).toBe("ran safe");
    expect(forms).toHaveLength(2);
  });

  it.each(["session", "always"])("is remembered with the decision '%s'", async (decision) => {
    const { call, forms } = await newClient({ era, answer: decide(decision) });
    expect(await call({ repo: "a" })).toBe("ran delete_all");
    expect(await call({ repo: "b" })).toBe("ran delete_all");
    expect(forms).toHaveLength(1);
    // After a restart, only "always" is known.
    const other = await newClient({ era, answer: decide("deny") });
    expect(await other.call({ repo: "c" })).toContain(
      decision === "always" ? "ran delete_all" : "the user denied it",
    );
  });

  it.each<[string, object]>([
    ["an empty form", { action: "accept", content: {} }],
    ["a form without content", { action: "accept" }],
    ["an unknown decision", { action: "accept", content: { decision: "yes" } }],
    ["a closed form", { action: "cancel" }],
  ])("is not given by %s", async (_, answer) => {
    const { call } = await newClient({ era, answer: () => answer });
    const text = await call({ repo: "a" });
    const [question] = pending();
    expect(text).toContain(`mcp-workbench approve ${question?.id}`);
    expect(text).toContain("make exactly the same call again");
    expect(reached()).toEqual([]);
  });

  it("lets a call pass whose server has stopped in the meantime", async () => {
    const client = await newClient({
      era,
      answer: async () => {
        await client.disconnect();
        return decide("once")();
      },
    });
    expect(await client.call({ repo: "a" })).toBe("ran delete_all");
    expect(client.forms).toHaveLength(1);
  });

  it("is refused with the decision 'deny', also for a repeated call", async () => {
    const { call, forms } = await newClient({ era, answer: decide("deny") });
    expect(await call({ repo: "a" })).toContain("the user denied it");
    expect(await call({ repo: "a" })).toContain("the user denied it");
    expect(forms).toHaveLength(1);
    expect(reached()).toEqual([]);
  });
});

describe("an approval outside of the client", () => {
  it("lets a call that failed pass once, and no other", async () => {
    const { call } = await newClient({ era: "legacy" });
    expect(await call({ repo: "a" })).toContain("has to approve");
    expect(await call({ repo: "a" })).toContain("has to approve");
    const [question, ...others] = pending();
    expect(others).toEqual([]);
    const id = question?.id ?? "";
    expect(id).toMatch(/^[A-Z2-9]{4,8}$/);
    expect(await answerApproval(file(), id, "once", "terminal")).toMatchObject({
      decision: "once",
    });
    // The first answer counts.
    expect(await answerApproval(file(), id, "deny", "dashboard")).toMatchObject({
      decision: "once",
    });
    expect(await call({ repo: "b" })).toContain("has to approve");
    expect(await call({ repo: "a" })).toBe("ran delete_all");
    expect(await call({ repo: "a" })).toContain("has to approve");
    expect(reached()).toEqual([{ repo: "a" }]);
  });

  it("is for one call, however that is written, and for no other", async () => {
    const { call } = await newClient({ era: "legacy" });
    expect(await call({ repo: "a", n: 1, list: [1, 2] })).toContain("has to approve");
    expect(await call({ list: [1, 2], n: 1, repo: "a" })).toContain("has to approve");
    expect(pending()).toHaveLength(1);
    await answerApproval(file(), pending()[0]?.id ?? "", "once", "terminal");
    for (const other of [{ list: [2, 1] }, { n: "1" }, { repo: "A" }, { more: null }])
      expect(await call({ repo: "a", n: 1, list: [1, 2], ...other })).toContain("has to approve");
    expect(await call({ n: 1, repo: "a", list: [1, 2] })).toBe("ran delete_all");
    expect(reached()).toEqual([{ n: 1, repo: "a", list: [1, 2] }]);
  });

  it("can be asked for by every client, however much another one asks", async () => {
    const asks = (principal: string, n: number): Promise<{ state: string }> =>
      standingOf(file(), {
        principal,
        client: principal,
        toolbox: "dev",
        server: "rec",
        tool: "delete_all",
        identity: "rec",
        arguments: `{"n":${n}}`,
        shown: [],
        reason: "",
        isAboutArguments: false,
        policy: "p",
        definition: "d",
      });
    for (let n = 0; n < 50; n++) expect((await asks("flood", n)).state).toBe("pending");
    expect((await asks("flood", 50)).state).toBe("full");
    expect((await asks("flood", 7)).state).toBe("pending");
    expect((await asks("other", 50)).state).toBe("pending");
  });

  it("survives a restart between question and answer", async () => {
    const first = await newClient({ era: "legacy" });
    expect(await first.call({ repo: "a" })).toContain("has to approve");
    const id = pending()[0]?.id ?? "";
    await answerApproval(file(), id, "once", "terminal");
    const second = await newClient({ era: "legacy" });
    expect(await second.call({ repo: "a" })).toBe("ran delete_all");
    // A changed policy asks again.
    const third = await newClient({ era: "legacy", rule: { reason: "another" } });
    expect(await third.call({ repo: "a" })).toContain("has to approve");
  });

  it("does not apply to another server of the same name", async () => {
    const options = { era: "legacy", answer: decide("always") } as const;
    const first = await newClient(options);
    expect(await first.call({ repo: "a" })).toBe("ran delete_all");
    const second = await newClient({ ...options, answer: decide("deny"), args: ["production"] });
    expect(await second.call({ repo: "a" })).toContain("the user denied it");
  });

  it("is awaited while a person watches", async () => {
    const { call } = await newClient({ era: "modern" });
    // A watch ends after seconds, and the server may need longer to start: this one begins late.
    await watchApprovals(file(), true, Date.now() + GENEROUS_MS);
    const called = call({ repo: "a" });
    const asked = (): void => expect(pending()).toHaveLength(1);
    await vi.waitFor(asked, { timeout: GENEROUS_MS, interval: 20 });
    await answerApproval(file(), pending()[0]?.id ?? "", "once", "terminal");
    expect(await called).toBe("ran delete_all");
  });

  it("wins over a form that is still open", async () => {
    const never = new Promise<object>(() => {});
    const { call, forms } = await newClient({ era: "legacy", answer: () => never });
    const called = call({ repo: "a" });
    const asked = (): void => expect(forms).toHaveLength(1);
    await vi.waitFor(asked, { timeout: GENEROUS_MS, interval: 20 });
    await answerApproval(file(), pending()[0]?.id ?? "", "once", "terminal");
    expect(await called).toBe("ran delete_all");
  });

  it("does not outlive the policy that asked", async () => {
    const client = await newClient({
      era: "legacy",
      answer: async () => {
        await client.setAction("deny");
        return decide("once")();
      },
    });
    expect(await client.call({ repo: "a" })).toContain("the policy has changed");
    expect(reached()).toEqual([]);
  });

  it.each<[string, object, object]>([
    ["the class", { overrides: { delete_all: { class: "read" } } }, {}],
    ["trust in hints", {}, { annotations: "trust" }],
    [
      "a fixed argument",
      { overrides: { delete_all: { arguments: { repo: "a" } } } },
      { overrides: { delete_all: { arguments: { repo: "b" } } } },
    ],
  ])("does not outlive %s of the tool", async (_, settings, changed) => {
    const client = await newClient({
      era: "legacy",
      settings,
      answer: async () => {
        await client.setAction("ask", changed);
        return decide("once")();
      },
    });
    expect(await client.call({})).toContain("the tool, its server or the policy has changed");
    expect(reached()).toEqual([]);
  });

  it("is possible for a modern client that wants log messages of a legacy server", async () => {
    const envelope = { [`${META}logLevel`]: "debug" };
    const { call } = await newClient({ era: "modern", envelope, answer: decide("once") });
    expect(await call({ repo: "a" })).toBe("ran delete_all");
  });

  it("comes too late after approvals.waitMs", async () => {
    const never = new Promise<object>(() => {});
    const { call } = await newClient({ era: "legacy", answer: () => never, waitMs: 1 });
    expect(await call({ repo: "a" })).toContain("mcp-workbench approve");
    expect(reached()).toEqual([]);
  });

  it("is impossible with a damaged file", async () => {
    const { call } = await newClient({ era: "legacy", answer: decide("once") });
    expect(await call({ repo: "a" })).toBe("ran delete_all");
    writeFileSync(file(), "{}");
    expect(await call({ repo: "a" })).toContain("Cannot use the approvals");
    expect(reached()).toHaveLength(1);
  });
});

describe("what is stored about an approval", () => {
  it("contains no secrets, no control characters and not much of long arguments", async () => {
    const { call } = await newClient({ era: "legacy" });
    await call({
      repo: `x\u001b[2J\n${"y".repeat(5000)}`,
      token: "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    });
    const text = readFileSync(file(), "utf8");
    expect(text).not.toContain("ghp_abcdefghijklmnopqrstuvwxyz0123456789");
    expect(pending()[0]?.shown[0]).toMatch(/^repo: x\\u\{1b\}\[2J\\u\{a\}y+…$/);
    expect(text.length).toBeLessThan(2500);
  });
});
