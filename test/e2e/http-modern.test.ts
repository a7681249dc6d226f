/** Clients of the modern era over HTTP: every request is independent. */
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { type HttpClient, MODERN, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";

const EVERYTHING = fileURLToPath(new URL("../fixtures/everything-server.mjs", import.meta.url));
const everything = { command: process.execPath, args: [EVERYTHING, "--era", "modern"] };
/** Some tests have calls that never finish; there is no reason to wait for them. */
const CONFIG = dev({ fx: fixture(), all: everything }, { timeouts: { shutdownMs: 200 } });
const NO_AUTH = { args: ["--no-auth"] };
const META = "io.modelcontextprotocol/";

describe("a modern request", () => {
  const cleanup = perBlock();
  let workbench: HttpWorkbench;
  let client: HttpClient;
  let direct: HttpClient;
  beforeAll(async () => {
    workbench = await startHttpWorkbench(cleanup, CONFIG, NO_AUTH);
    client = workbench.client();
    direct = workbench.client("/mcp/dev/all");
  });

  it("needs neither session nor handshake, and gets none", async () => {
    const answer = await client
      .modern("tools/call", useToolParams("dev/fx/echo", { text: "hi" }))
      .done();
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.headers).not.toHaveProperty("mcp-session-id");
    expect(answer.headers["content-type"]).toBe("application/json");
    const [message] = messagesIn(answer.text);
    expect(message?.result).toMatchObject({ resultType: "complete" });
    expect(firstText(message)).toBe("hi");
  });

  it("finds server/discover at each address", async () => {
    const versions = { supportedVersions: [MODERN] };
    for (const path of ["/mcp", "/mcp/dev", "/mcp/dev/fx"]) {
      const answer = await workbench.client(path).modern("server/discover").done();
      expect(messagesIn(answer.text)[0]?.result).toMatchObject(versions);
    }
  });

  it("may be mixed with requests of a legacy session at the same address", async () => {
    const legacy = workbench.client();
    await legacy.initialize();
    const [old, young] = await Promise.all([
      legacy.ask("tools/call", useToolParams("dev/fx/echo", { text: "old" })),
      legacy.modern("tools/call", useToolParams("dev/fx/echo", { text: "young" })).done(),
    ]);
    expect(firstText(old)).toBe("old");
    expect(old.result).not.toHaveProperty("resultType");
    expect(firstText(messagesIn(young.text)[0])).toBe("young");
  });

  it("is refused without its envelope", async () => {
    for (const key of ["protocolVersion", "clientCapabilities"]) {
      const meta = { [`${META}${key}`]: undefined };
      const answer = await client.modern("server/discover", {}, { meta, id: 7 }).done();
      expect(answer.status).toBe(400);
      expect(messagesIn(answer.text)[0]).toMatchObject({
        id: 7,
        error: { code: -32602, message: expect.stringContaining(key) },
      });
    }
  });

  it("is refused in an unknown protocol version", async () => {
    const meta = { [`${META}protocolVersion`]: "2099-01-01" };
    const headers = { "mcp-protocol-version": "2099-01-01" };
    const answer = await client.modern("tools/list", {}, { meta, headers }).done();
    expect(answer.status).toBe(400);
    expect(messagesIn(answer.text)[0]?.error).toMatchObject({
      code: -32022,
      data: { supported: [MODERN], requested: "2099-01-01" },
    });
  });

  it.each([
    ["the method", { "mcp-method": "tools/list" }],
    ["the name", { "mcp-name": "open_toolbox" }],
    ["the version", { "mcp-protocol-version": "2025-11-25" }],
    ["no method", { "mcp-method": undefined }],
    ["no name", { "mcp-name": undefined }],
    ["no version", { "mcp-protocol-version": undefined }],
  ])("is refused if its headers do not match the body: %s", async (_what, headers) => {
    const before = workbench.witness("dev", "fx").callsOf("echo").length;
    const params = useToolParams("dev/fx/echo", { text: "must not be called" });
    const answer = await client.modern("tools/call", params, { headers, id: "h" }).done();
    expect(answer.status).toBe(400);
    expect(messagesIn(answer.text)[0]).toMatchObject({ id: "h", error: { code: -32020 } });
    expect(workbench.witness("dev", "fx").callsOf("echo")).toHaveLength(before);
  });

  it("is refused if a parameter header does not match its argument", async () => {
    await direct.modern("tools/list").done();
    const call = async (region: unknown, header: string | undefined) => {
      const params = { name: "test_x_mcp_header", arguments: { region } };
      const headers = { "mcp-param-region": header };
      const answer = await direct.modern("tools/call", params, { headers }).done();
      return [answer.status, messagesIn(answer.text)[0]?.error?.code];
    };
    expect(await call("eu", "eu")).toEqual([200, undefined]);
    expect(await call("世界", "=?base64?5LiW55WM?=")).toEqual([200, undefined]);
    expect(await call("eu", "us")).toEqual([400, -32020]);
    expect(await call("eu", undefined)).toEqual([400, -32020]);
    expect(await call("Hello", "=?base64?SGVsbG8?=")).toEqual([400, -32020]);
  });

  it.each(["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such/method"])(
    "with the method %s is answered with 404",
    async (method) => {
      for (const at of [client, direct]) {
        const answer = await at.modern(method, {}, { id: 1 }).done();
        expect(answer.status).toBe(404);
        expect(messagesIn(answer.text)[0]).toMatchObject({ id: 1, error: { code: -32601 } });
      }
    },
  );

  it("is answered with 400 if it needs a capability that the client lacks", async () => {
    const params = { name: "test_missing_capability", arguments: {} };
    const answer = await direct.modern("tools/call", params).done();
    expect(answer.status).toBe(400);
    expect(messagesIn(answer.text)[0]?.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });

  it("must be a POST: GET and DELETE are answered with 405", async () => {
    const headers = { "mcp-protocol-version": MODERN };
    for (const answer of [await client.listen(headers).done(), await client.leave(headers)])
      expect(answer).toMatchObject({ status: 405, headers: { allow: "POST" } });
  });

  it("must be one request or notification, not a batch or a response", async () => {
    const headers = { "mcp-protocol-version": MODERN };
    const batch = await client
      .post([{ jsonrpc: "2.0", id: 1, method: "tools/list" }], headers)
      .done();
    expect(batch.status).toBe(400);
    const response = await client.post({ jsonrpc: "2.0", id: 1, result: {} }, headers).done();
    expect(response.status).toBe(400);
    const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await client.post(note, headers).done()).status).toBe(202);
  });

  it("gets its progress on its own response", async () => {
    const options = { meta: { progressToken: 5 } };
    const params = useToolParams("dev/fx/progress_burst", { n: 5 });
    const answer = await client.modern("tools/call", params, options).done();
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    expect(answer.headers["x-accel-buffering"]).toBe("no");
    const messages = messagesIn(answer.text);
    expect(messages.map(({ params: progress }) => progress?.["progress"])).toEqual([
      1,
      2,
      3,
      4,
      5,
      undefined,
    ]);
    expect(messages.at(-1)?.result).toMatchObject({ resultType: "complete" });
  });

  it("gets log messages only if it asks for a level", async () => {
    const call = async (level: string | undefined) => {
      const meta = level === undefined ? {} : { [`${META}logLevel`]: level };
      const params = useToolParams("dev/all/test_logging_tool", {});
      const answer = await client.modern("tools/call", params, { meta }).done();
      return messagesIn(answer.text).map(({ method }) => method);
    };
    expect(await call(undefined)).toEqual([undefined]);
    expect(await call("debug")).toEqual(["notifications/message", undefined]);
  });

  it("is continued with the answer to an elicitation of a legacy server", async () => {
    const capabilities = { elicitation: {} };
    const params = useToolParams("dev/fx/elicit", {});
    const first = await client.modern("tools/call", params, { capabilities }).done();
    const asked = messagesIn(first.text)[0]?.result;
    expect(asked).toMatchObject({ resultType: "input_required" });
    const requests = asked?.["inputRequests"] as Record<string, { method: string }>;
    const [[key, question] = []] = Object.entries(requests);
    expect(question?.method).toBe("elicitation/create");
    const result = { action: "accept", content: { ok: true } };
    const again = {
      ...params,
      inputResponses: { [key ?? ""]: result },
      requestState: asked?.["requestState"],
    };
    const second = await client.modern("tools/call", again, { capabilities }).done();
    expect(JSON.parse(firstText(messagesIn(second.text)[0]) ?? "")).toEqual({ result });
  });
});

describe("a modern client that hangs up", () => {
  const cleanup = perTest();

  it.each([
    ["before the response begins", {}],
    ["in the middle of a stream", { progressToken: 1 }],
  ])("cancels its call %s", async (_when, meta) => {
    const workbench = await startHttpWorkbench(cleanup, CONFIG, NO_AUTH);
    const client = workbench.client();
    const witness = workbench.witness("dev", "fx");
    const tool = "progressToken" in meta ? "progress" : "sleep";
    const params = useToolParams(`dev/fx/${tool}`, { ms: 600_000, n: 100_000 });
    const call = client.modern("tools/call", params, { meta });
    await waitFor(() => witness.callsOf(tool).length, GENEROUS_MS, "the call to arrive");
    if (tool === "progress") await call.method("notifications/progress");
    call.hangUp();
    await waitFor(
      () => witness.messages("notifications/cancelled").length,
      GENEROUS_MS,
      "the server to be notified",
    );
    expect(witness.messages("notifications/cancelled")[0]?.params).toMatchObject({
      requestId: witness.callsOf(tool)[0]?.id,
    });
  });
});

describe("subscriptions/listen", () => {
  const cleanup = perTest();
  const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
  const LIST_CHANGED = "notifications/tools/list_changed";

  it("streams the requested notifications until the client hangs up", async () => {
    const workbench = await startHttpWorkbench(cleanup, CONFIG, NO_AUTH);
    const client = workbench.client("/mcp/dev/fx");
    const notifications = { toolsListChanged: true };
    const stream = client.modern("subscriptions/listen", { notifications }, { id: "sub" });
    expect((await stream.head()).headers["content-type"]).toBe("text/event-stream");
    await stream.method(ACKNOWLEDGED);
    await client.modern("tools/call", { name: "change_list", arguments: {} }).done();
    const change = await stream.method(LIST_CHANGED);
    expect(change.params).toMatchObject({ _meta: { [`${META}subscriptionId`]: "sub" } });
    expect(stream.messages.map(({ method }) => method)).toEqual([ACKNOWLEDGED, LIST_CHANGED]);
    const other = client.modern("subscriptions/listen", { notifications });
    await other.method(ACKNOWLEDGED);
    stream.hangUp();
    await client.modern("tools/call", { name: "change_list", arguments: {} }).done();
    await other.method(LIST_CHANGED);
    expect(stream.messages).toHaveLength(2);
  });

  it("streams no notification that was not requested", async () => {
    const workbench = await startHttpWorkbench(cleanup, CONFIG, NO_AUTH);
    const client = workbench.client("/mcp/dev/fx");
    const stream = client.modern("subscriptions/listen", { notifications: {} });
    await stream.method(ACKNOWLEDGED);
    const notifications = { toolsListChanged: true };
    const other = client.modern("subscriptions/listen", { notifications });
    await other.method(ACKNOWLEDGED);
    await client.modern("tools/call", { name: "change_list", arguments: {} }).done();
    await other.method(LIST_CHANGED);
    await client.modern("tools/list").done();
    expect(stream.messages).toHaveLength(1);
  });

  it("ends with a result when the workbench shuts down", async () => {
    const workbench = await startHttpWorkbench(cleanup, CONFIG, NO_AUTH);
    const client = workbench.client();
    const stream = client.modern("subscriptions/listen", { notifications: {} }, { id: 3 });
    await stream.method(ACKNOWLEDGED);
    const call = client.modern("tools/call", useToolParams("dev/fx/sleep", { ms: 600_000 }), {
      id: 4,
    });
    await waitFor(
      () => workbench.witness("dev", "fx").callsOf("sleep").length,
      GENEROUS_MS,
      "the call to arrive",
    );
    expect(await workbench.stop()).toEqual({ code: 0, signal: null });
    expect(messagesIn((await stream.done()).text).at(-1)).toMatchObject({
      id: 3,
      result: { resultType: "complete" },
    });
    expect(messagesIn((await call.done()).text)).toMatchObject([
      { id: 4, error: { message: expect.stringContaining("The workbench stopped") } },
    ]);
  });
});
