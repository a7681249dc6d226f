/**
 * What one side wrote and the other gets back is the same for every reader, whatever its numbers. In
 * the full suite because each value starts a workbench of its own.
 */
import { describe, expect, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import type { RawClient } from "../support/raw-client.ts";
import { scriptServer } from "../support/script-server.ts";
import { type ServerEntry, dev } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

/** Beyond 2^53, a fraction with a trailing zero, and beyond the range of a double. */
const NUMBERS = ["12345678901234567891", "1.50", "1e400"];

const MODERN =
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}';
const ERAS: [era: string, meta: string][] = [
  ["legacy", ""],
  ["modern", `,${MODERN}`],
];

/** A server that reports progress of a call, and answers the next call once that one was cancelled. */
function waiting(): ServerEntry {
  return scriptServer(
    cleanup,
    `let waiting;
     let cancelled = false;
     const answer = () => waiting && cancelled && send({ id: waiting, result: { content: [] } });
     onNotification("notifications/cancelled", () => { cancelled = true; answer(); });
     serve({ ...legacy({ tools: {} }), "tools/call": ({ _meta, name, arguments: { then } }, id) => {
       if (then) { waiting = id; answer(); }
       else send({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: 1 } });
     } });`,
  );
}

const call = (id: string, meta: string, args = "{}"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"use_tool","arguments":{"tool":{"toolbox":"dev","server":"fx","name":"hello"},"arguments":${args}},"_meta":{"progressToken":${id}${meta}}}}`;

function lineWith(client: RawClient, text: string): Promise<string> {
  return client.when(() => client.lines.find((line) => line.includes(text)), text);
}

describe.each(ERAS)("a number of a %s client that JavaScript cannot represent", (_era, meta) => {
  it.each(NUMBERS)("may be a progress token and an id that is cancelled: %s", async (number) => {
    const { client } = await startWorkbench(cleanup, dev({ fx: waiting() }));
    client.sendLine(call(number, meta));
    expect(await lineWith(client, "notifications/progress")).toContain(
      `"progressToken":${number}}`,
    );
    client.sendLine(
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${number}}}`,
    );
    client.sendLine(call("77", meta, '{"then":true}'));
    await lineWith(client, '"id":77,"result"');
  });
});

describe("the id of a subscription", () => {
  it.each(NUMBERS)("is the id of the client's request: %s", async (number) => {
    const { client } = await startWorkbench(cleanup, dev({ fx: waiting() }));
    client.sendLine(
      `{"jsonrpc":"2.0","id":${number},"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{${MODERN}}}}`,
    );
    const line = await lineWith(client, "notifications/subscriptions/acknowledged");
    expect(line).toContain(`"io.modelcontextprotocol/subscriptionId":${number}}`);
  });
});

describe("the result of a legacy server for a modern client", () => {
  const result = String.raw`{"resultType":"task","ttlMs":9999,"contents":[],"cache\u0053cope":"public","n":1.0}`;
  const fx = (): ServerEntry =>
    scriptServer(
      cleanup,
      `const answer = (_, id) => void process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + ${JSON.stringify(result)} + "}\\n");
       serve({ ...legacy({ tools: {}, resources: {} }), "resources/read": answer, "tools/call": answer });`,
    );

  it("has each member of the modern protocol once, with the value of the workbench", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fx() }));
    const client = workbench.client();
    const read = await client.modern("resources/read", { uri: "workbench://dev/fx/a:b" }).done();
    expect(read.text).toContain(
      '"result":{"contents":[],"n":1.0,"resultType":"complete","ttlMs":0,"cacheScope":"private"}',
    );
    const called = await workbench
      .client("/mcp/dev/fx")
      .modern("tools/call", { name: "hello", arguments: {} })
      .done();
    expect(called.text).toContain(
      String.raw`"result":{"ttlMs":9999,"contents":[],"cache\u0053cope":"public","n":1.0,"resultType":"complete"}`,
    );
  });
});

describe("a server that does not acknowledge a subscription", () => {
  it("cannot make the workbench keep what it sends in the meantime", async () => {
    const fx = scriptServer(
      cleanup,
      `serve({ ...modern({ tools: { listChanged: true } }), "subscriptions/listen": ({ notifications }, id) => {
         const _meta = { "io.modelcontextprotocol/subscriptionId": id };
         const data = "x".repeat(1000);
         for (let i = 0; i < 4000; i++) send({ method: "notifications/x", params: { data, _meta } });
         send({ method: "notifications/subscriptions/acknowledged", params: { notifications, _meta } });
         send({ method: "notifications/last", params: { _meta } });
       } });`,
    );
    const { client } = await startWorkbench(cleanup, dev({ fx }), {
      args: ["serve", "--server", "dev/fx"],
      initialize: false,
    });
    client.sendLine(
      `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{${MODERN}}}}`,
    );
    await lineWith(client, "notifications/last");
    const kept = client.notificationsOf("notifications/x").length;
    expect(kept).toBeGreaterThan(100);
    expect(kept).toBeLessThan(1100);
  });
});
