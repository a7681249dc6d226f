/** Event streams that legacy clients continue after a lost connection. In the full suite because it starts a workbench of its own. */
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { beforeAll, describe, expect, it } from "vitest";
import { firstText } from "../support/calls.ts";
import { recorded } from "../support/clients/sdk.ts";
import { type CutProxy, startCutProxy } from "../support/cut-proxy.ts";
import { perBlock } from "../support/disposables.ts";
import { type Begun, type HttpClient, type Message, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";

const INFO = { name: "resuming-client", version: "1.0.0" };
const SOON = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 10,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 5,
};
const ACCEPT = { action: "accept", content: { ok: true } } as const;
const ELICIT = { name: "elicit", arguments: {} };
const CHANGE = { name: "change_list", arguments: {} };

const cleanup = perBlock();
let workbench: HttpWorkbench;
let proxy: CutProxy;
beforeAll(async () => {
  proxy = await startCutProxy(cleanup);
  workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture(), other: fixture() }), {
    args: ["--no-auth", "--allow-host", proxy.host],
  });
  proxy.target = workbench.port;
});

/** A client at the address of one server. */
async function newClient(version = "2025-11-25", server = "fx"): Promise<HttpClient> {
  const client = workbench.client(`/mcp/dev/${server}`);
  await client.initialize(version, { elicitation: {} });
  return client;
}

const idsIn = ({ text }: { text: string }): string[] =>
  Array.from(text.matchAll(/^id: (.*)$/gm), ([, id]) => id as string);
const lastIdIn = (stream: { text: string }): string => idsIn(stream).at(-1) as string;
const resume = (client: HttpClient, id: string): Begun => client.listen({ "last-event-id": id });

/** Calls a tool that asks, and loses the connection after the question. */
async function lostQuestion(client: HttpClient): Promise<{ question: Message; id: string }> {
  const call = client.request("tools/call", ELICIT, { id: "asks" });
  const question = await call.method("elicitation/create");
  call.hangUp();
  return { question, id: lastIdIn(call) };
}

describe("the response to a request whose connection was lost", () => {
  it("continues with what the client has not received, and then ends", async () => {
    const client = await newClient();
    const { question, id } = await lostQuestion(client);
    const rest = resume(client, id);
    await rest.head();
    await client.respond(question.id, ACCEPT);
    const messages = messagesIn((await rest.done()).text);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ id: "asks", result: {} });
  });

  it("can be asked for again after it is complete", async () => {
    const client = await newClient();
    const { question, id } = await lostQuestion(client);
    await client.respond(question.id, ACCEPT);
    const first = await resume(client, id).done();
    const second = await resume(client, id).done();
    expect(messagesIn(first.text)).toMatchObject([{ id: "asks", result: {} }]);
    expect(messagesIn(second.text)).toEqual(messagesIn(first.text));
    const done = await resume(client, lastIdIn(first)).done();
    expect(done).toMatchObject({ status: 204, text: "" });
  });

  it("sends a question again that the client may not have received", async () => {
    const client = await newClient("2025-06-18");
    const { question, id } = await lostQuestion(client);
    const before = id.replace(/\d+$/, "0");
    const rest = resume(client, before);
    expect(await rest.method("elicitation/create")).toEqual(question);
    await client.respond(question.id, ACCEPT);
    expect(messagesIn((await rest.done()).text).at(-1)).toMatchObject({ id: "asks", result: {} });
  });

  it("does not exist for other sessions", async () => {
    const [client, other] = await Promise.all([newClient(), newClient()]);
    const { question, id } = await lostQuestion(client);
    await client.respond(question.id, ACCEPT);
    const stream = resume(other, id);
    expect((await stream.head()).status).toBe(200);
    await other.ask("tools/call", CHANGE);
    await stream.method("notifications/tools/list_changed");
    expect(stream.messages.map(({ method }) => method)).toEqual([
      "notifications/tools/list_changed",
    ]);
    stream.hangUp();
    expect(messagesIn((await resume(client, id).done()).text)).toMatchObject([{ id: "asks" }]);
  });
});

describe("the stream for unsolicited messages", () => {
  it("continues after the last event, also while the workbench takes it for open", async () => {
    const client = await newClient("2025-11-25", "other");
    const first = client.listen();
    const start = await waitFor(() => idsIn(first)[0], GENEROUS_MS, "the first event");
    await client.ask("tools/call", CHANGE);
    await first.method("notifications/tools/list_changed");
    const second = resume(client, start);
    await second.method("notifications/tools/list_changed");
    expect(idsIn(second)).toEqual(idsIn(first).slice(1));
    const third = resume(client, lastIdIn(second));
    await waitFor(() => idsIn(third)[0], GENEROUS_MS, "the event that repeats the id");
    expect(idsIn(third)).toEqual([lastIdIn(second)]);
    expect(third.messages).toEqual([]);
    await waitFor(() => first.ended && second.ended, GENEROUS_MS, "the earlier connections to end");
    third.hangUp();
  });

  it("is a new one for an unknown id, and is opened once", async () => {
    const client = await newClient("2025-06-18");
    const stream = resume(client, "unknown");
    expect((await stream.head()).status).toBe(200);
    expect((await client.listen().done()).status).toBe(409);
    // One that names a stream has to learn that it has ended, or it would try again and again.
    expect((await resume(client, "ffffffffffff-1-1").done()).status).toBe(204);
    // Earlier versions do not know events without a message.
    expect(stream.text).toBe("");
    stream.hangUp();
  });
});

describe("an SDK client whose connections are cut", () => {
  const at = (): URL => new URL(`http://${proxy.host}/mcp/dev/fx`);

  it("gets the answer and later messages with SDK v1", async () => {
    const client = new ClientV1(INFO, { capabilities: { elicitation: {} } });
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
    client.setRequestHandler(ElicitRequestSchema, async () => {
      await proxy.cut();
      return ACCEPT;
    });
    await client.connect(recorded(new HttpV1(at(), { reconnectionOptions: SOON })));
    expect(firstText({ result: await client.callTool(ELICIT) } as never)).toContain("accept");
    await client.callTool(CHANGE);
    await waitFor(() => changes > 0, GENEROUS_MS, "list_changed");
    await client.close();
  });

  it("gets the answer and later messages with SDK v2", async () => {
    const client = new ClientV2(INFO, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: "legacy" },
    });
    let changes = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
    client.setRequestHandler("elicitation/create", async () => {
      await proxy.cut();
      return ACCEPT;
    });
    await client.connect(recorded(new HttpV2(at(), { reconnectionOptions: SOON })));
    expect(firstText({ result: await client.callTool(ELICIT) } as never)).toContain("accept");
    await client.callTool(CHANGE);
    await waitFor(() => changes > 0, GENEROUS_MS, "list_changed");
    await client.close();
  });
});
