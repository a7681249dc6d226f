/** What a client relies on while a call runs: progress and cancellation. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, it } from "vitest";
import { fixtureStatus, textOf, useTool, useToolParams } from "../support/calls.ts";
import { recordMessages } from "../support/clients/sdk.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { closedGate } from "../support/gate.ts";
import { messagesIn, type ModernOptions } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import {
  GENEROUS_MS,
  type Message,
  type Notification,
  type RawClient,
  type RequestId,
} from "../support/raw-client.ts";
import { scriptServer } from "../support/script-server.ts";
import { dev, fixture } from "../support/servers.ts";
import { prepareWorkbench, type RunningWorkbench, startWorkbench } from "../support/workbench.ts";

function progressFor(client: RawClient, token: RequestId): Notification[] {
  return client
    .notificationsOf("notifications/progress")
    .filter(({ params }) => params.progressToken === token);
}

describe("progress of a call", () => {
  const cleanup = perBlock();
  let client: RawClient;
  beforeAll(async () => {
    const servers = {
      fx: fixture(),
      two: fixture(),
      quiet: fixture(),
      sdk: fixture("--key-order", "sdk"),
      python: fixture("--key-order", "python"),
      odd: fixture("--key-order", "odd"),
    };
    ({ client } = await startWorkbench(cleanup, dev(servers)));
  });

  it.each<[string, RequestId]>([
    ["text", "a token"],
    ["an empty text", ""],
    ["text that looks like a number", "42"],
    ["a number", 42],
    ["zero", 0],
    ["a negative number", -7],
    ["a large number", Number.MAX_SAFE_INTEGER],
  ])("carries the client's own token: %s", async (_what, progressToken) => {
    const answer = await useTool(client, "dev/fx/progress", { n: 4 }, { meta: { progressToken } });
    expect(textOf(answer)).toBe("progress 4");
    expect(progressFor(client, progressToken).map(({ params }) => params)).toEqual(
      [1, 2, 3, 4].map((step) => ({
        progressToken,
        progress: step,
        total: 4,
        message: `step ${step} of 4`,
        "x-unknown": { step },
      })),
    );
  });

  it("leaves the rest of the request's _meta unchanged", async () => {
    const meta = { progressToken: "t", "trace/id": "tr-1", nested: { a: [1] } };
    const status = await fixtureStatus(client, "dev/fx", { meta });
    expect(status.meta).toEqual({ ...meta, progressToken: status.tokens.at(-1) });
  });

  it("is not requested for a client that did not ask for it", async () => {
    const before = client.notificationsOf("notifications/progress").length;
    await useTool(client, "dev/quiet/progress", { n: 3 });
    const { tokens, meta } = await fixtureStatus(client, "dev/quiet");
    expect(tokens).toEqual([]);
    expect(meta).toBeUndefined();
    expect(client.notificationsOf("notifications/progress")).toHaveLength(before);
  });

  it.each(["sdk", "python", "odd"])(
    "arrives before the result, also if both are written at once (%s)",
    async (order) => {
      const meta = { progressToken: order };
      const answer = await useTool(client, `dev/${order}/progress_burst`, { n: 50 }, { meta });
      await client.request("ping");
      const steps = progressFor(client, order);
      expect(steps.map(({ params }) => params.progress)).toEqual(
        Array.from({ length: 50 }, (_, i) => i + 1),
      );
      expect(Math.max(...steps.map(({ index }) => index))).toBeLessThan(answer.index);
    },
  );

  it("is dropped after the result, even if the server goes on", async () => {
    const meta = { progressToken: "late" };
    const answer = await useTool(client, "dev/fx/progress_burst", { n: 2, late: 3 }, { meta });
    await useTool(client, "dev/fx/echo", { text: "everything before this has arrived" });
    const isEarlier = progressFor(client, "late").map(({ index }) => index < answer.index);
    expect(isEarlier).toEqual([true, true]);
  });

  it("is not mixed up with that of other calls, even if the tokens look alike", async () => {
    const calls: [string, RequestId, number][] = [
      ["dev/fx", 1, 5],
      ["dev/fx", "1", 6],
      ["dev/two", 2, 7],
      ["dev/two", "2", 8],
    ];
    await Promise.all(
      calls.map(([server, progressToken, n]) =>
        useTool(client, `${server}/progress`, { n }, { meta: { progressToken } }),
      ),
    );
    for (const [, token, n] of calls) {
      expect(progressFor(client, token).map(({ params }) => params.total)).toEqual(
        Array.from({ length: n }, () => n),
      );
    }
  });

  it("may carry the same token in call after call", async () => {
    for (const n of [2, 3]) {
      await useTool(client, "dev/fx/progress", { n }, { meta: { progressToken: "again" } });
    }
    expect(progressFor(client, "again").map(({ params }) => params.total)).toEqual([2, 2, 3, 3, 3]);
  });
});

describe("a cancellation", () => {
  const cleanup = perTest();
  const block = perBlock();
  let workbench: RunningWorkbench;
  let client: RawClient;
  beforeAll(async () => {
    // Calls that never finish are part of these tests; there is no reason to wait for them.
    const config = dev({ fx: fixture(), one: fixture() }, { timeouts: { shutdownMs: 200 } });
    workbench = await startWorkbench(block, config);
    ({ client } = workbench);
  });

  /** Starts a long call and waits until the server has it. */
  async function longCall(
    server: string,
    id: RequestId,
    args: object = {},
  ): Promise<RequestId | undefined> {
    const params = {
      name: "use_tool",
      arguments: {
        tool: { toolbox: "dev", server, name: "sleep" },
        arguments: { ms: 600_000, ...args },
      },
    };
    const before = workbench.witness("dev", server).callsOf("sleep").length;
    client.sendLine(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    return waitFor(
      () => workbench.witness("dev", server).callsOf("sleep")[before]?.id,
      GENEROUS_MS,
      "the call to reach the server",
    );
  }

  const cancelled = (server: string) =>
    workbench
      .witness("dev", server)
      .messages("notifications/cancelled")
      .map(({ params }) => params);

  async function waitForCancellations(server: string, count: number): Promise<void> {
    await waitFor(() => cancelled(server).length >= count, GENEROUS_MS, "the cancellation");
  }

  it.each<[string, RequestId]>([
    ["a number", 4711],
    ["a text", "call-1"],
  ])("reaches the right server with the id of its call: %s", async (_what, id) => {
    const before = [cancelled("one").length, cancelled("fx").length] as const;
    const other = await longCall("fx", `other than ${id}`);
    const sent = await longCall("one", id);
    client.notify("notifications/cancelled", { requestId: id, reason: "too slow" });
    await waitForCancellations("one", before[0] + 1);
    expect(cancelled("one").slice(before[0])).toEqual([{ requestId: sent, reason: "too slow" }]);
    expect(cancelled("fx")).toHaveLength(before[1]);
    client.notify("notifications/cancelled", { requestId: `other than ${id}` });
    await waitForCancellations("fx", before[1] + 1);
    expect(cancelled("fx").at(-1)?.requestId).toBe(other);
  });

  it("stops only one of several calls of the same server", async () => {
    const gate = closedGate(cleanup);
    const before = cancelled("fx").length;
    await longCall("fx", "first");
    const second = await longCall("fx", "second");
    const third = useTool(client, "dev/fx/sleep", { until: gate.file });
    client.notify("notifications/cancelled", { requestId: "second" });
    await waitForCancellations("fx", before + 1);
    gate.open();
    expect(textOf(await third)).toBe("released");
    const ids = cancelled("fx").map((params) => params?.requestId);
    expect(ids.slice(before)).toEqual([second]);
  });

  it("suppresses a late answer", async () => {
    const before = cancelled("fx").length;
    await longCall("fx", "late", { answerAfterCancel: true });
    client.notify("notifications/cancelled", { requestId: "late" });
    await waitForCancellations("fx", before + 1);
    // The late answer is written before this one, on the same pipe.
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "after" }))).toBe("after");
    expect(client.responsesTo("late")).toEqual([]);
  });

  it("prevents a call whose server is still starting", async () => {
    const gate = closedGate(cleanup);
    const slow = await startWorkbench(cleanup, dev({ fx: fixture("--wait-for", gate.file) }));
    const params = {
      name: "use_tool",
      arguments: { tool: { toolbox: "dev", server: "fx", name: "a_b" }, arguments: {} },
    };
    slow.client.sendLine(
      JSON.stringify({ jsonrpc: "2.0", id: "early", method: "tools/call", params }),
    );
    const witness = slow.witness("dev", "fx");
    await waitFor(() => witness.starts === 1, GENEROUS_MS, "the start");
    slow.client.notify("notifications/cancelled", { requestId: "early" });
    await slow.client.request("ping");
    gate.open();
    expect(textOf(await useTool(slow.client, "dev/fx/echo", { text: "later" }))).toBe("later");
    expect(witness.callsOf("a_b")).toEqual([]);
    expect(slow.client.responsesTo("early")).toEqual([]);
  });

  it("of a finished, unknown or invalid request changes nothing", async () => {
    const before = cancelled("fx").length;
    await useTool(client, "dev/fx/echo", { text: "done" }, { id: "done" });
    for (const requestId of ["done", "never", 99, null, {}, []]) {
      client.notify("notifications/cancelled", { requestId });
    }
    client.notify("notifications/cancelled");
    client.notify("notifications/cancelled", {});
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "fine" }))).toBe("fine");
    expect(cancelled("fx")).toHaveLength(before);
  });

  it("is forwarded once if it is sent twice", async () => {
    const before = cancelled("fx").length;
    await longCall("fx", "twice");
    client.notify("notifications/cancelled", { requestId: "twice" });
    client.notify("notifications/cancelled", { requestId: "twice" });
    await useTool(client, "dev/fx/echo", { text: "x" });
    expect(cancelled("fx")).toHaveLength(before + 1);
  });

  it("does not mistake a number for a text with the same digits", async () => {
    const before = cancelled("fx").length;
    await longCall("fx", "5000");
    client.notify("notifications/cancelled", { requestId: 5000 });
    await useTool(client, "dev/fx/echo", { text: "x" });
    expect(cancelled("fx")).toHaveLength(before);
  });
});

describe("progress of a call that waits for input from a modern client", () => {
  const cleanup = perTest();

  /** Reports 1 and asks the client; reports 2 while the client is asked, because of another call; then 3. */
  const ASKING = `
    let call;
    const report = (progress) => send({ method: "notifications/progress",
      params: { progressToken: call.params._meta.progressToken, progress, total: 3 } });
    onResponse(() => { report(3); send({ id: call.id, result: { content: [] } }); });
    serve({ ...legacy({ tools: {} }), "tools/call": (params, id) => {
      if (params.arguments?.next) { report(2); return { content: [] }; }
      call = { params, id };
      report(1);
      send({ id: "roots", method: "roots/list" });
    } });`;

  it("is delivered when the client returns, in order and under its new token", async () => {
    const fx = scriptServer(cleanup, ASKING);
    const workbench = await startHttpWorkbench(cleanup, dev({ fx }));
    const client = workbench.client();
    const options = (token: string): ModernOptions => ({
      capabilities: { roots: {} },
      meta: { progressToken: token },
    });
    const tool = useToolParams("dev/fx/hello", {});
    const asked = await client.modern("tools/call", tool, options("first")).done();
    // The first call waits now, and the server continues it because of the second.
    const next = useToolParams("dev/fx/hello", { next: true });
    await client.modern("tools/call", next, options("other")).done();
    const { requestState } = messagesIn(asked.text).at(-1)?.result ?? {};
    const inputResponses = { "question-1": { roots: [] } };
    const retry = { ...tool, inputResponses, requestState };
    const answered = await client.modern("tools/call", retry, options("second")).done();
    const progress = [asked, answered]
      .flatMap(({ text }) => messagesIn(text))
      .filter(({ method }) => method === "notifications/progress")
      .map(({ params }) => [params?.["progressToken"], params?.["progress"]]);
    expect(progress).toEqual([
      ["first", 1],
      ["second", 2],
      ["second", 3],
    ]);
  });

  // The server of the fidelity matrix asks for roots shortly after its start. On a busy machine that fell
  // into the call with progress: the client saw a progress of its SDK about the retry, and one of the
  // server's was missing.
  it("reaches the official client once each in dynamic mode", async () => {
    const fx = scriptServer(cleanup, ASKING);
    const config = dev({ fx }, { toolMode: "dynamic" });
    const { command, args, env, dir } = prepareWorkbench(cleanup, config);
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      env,
      cwd: dir,
      stderr: "pipe",
    });
    const client = new Client(
      { name: "official", version: "1" },
      { capabilities: { roots: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const tool = "dev__fx__hello";
    client.setRequestHandler("roots/list", async () => {
      await client.callTool({ name: tool, arguments: { next: true } });
      return { roots: [] };
    });
    const progress: unknown[] = [];
    const onMessage = ({ method, params }: Message): void => {
      if (method === "notifications/progress") progress.push(params?.["progress"]);
    };
    recordMessages(transport, { onMessage });
    await client.connect(transport);
    cleanup.defer(() => client.close());
    await client.callTool({ name: tool, arguments: {} }, { onprogress: () => {} });
    expect(progress).toEqual([1, 2, 3]);
  });
});
