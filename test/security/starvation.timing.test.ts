/**
 * Whatever a client sends, once or all the time, others wait less than 250 ms. They are a client that
 * checks the health every few milliseconds, from a separate process.
 */
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { type HttpClient } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { dev, fixture } from "../support/servers.ts";
import { isBearable, measure } from "./starvation.ts";

const BODY = 8 * 1024 ** 2 - 500;

const cleanup = perTest();

const keys = (count: number): string =>
  Array.from({ length: count }, (_, i) => `"k${i}":1`).join(",");
const strings = (count: number): string =>
  Array.from({ length: count }, (_, i) => `"s${i}"`).join(",");
const call = (params: string): string =>
  `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${params}}`;
const use = (args: string, more = ""): string =>
  call(
    `{"name":"use_tool","arguments":{"tool":{"toolbox":"dev","server":"fx","name":"echo"},"arguments":${args}}${more}}`,
  );

const BODIES: Record<string, () => string> = {
  "560,000 arguments": () => use(`{${keys(560_000)}}`),
  "as many arguments as are allowed": () => use(`{${keys(40_000)}}`),
  "as many parameters as are allowed": () => use("{}", `,${keys(40_000)}`),
  "as many wrong arguments as are allowed": () =>
    call(`{"name":"open_toolbox","arguments":{${keys(40_000)}}}`),
  "as many strings as are allowed": () => use(`{"x":[${strings(99_000)}]}`),
  "as many elements as are allowed": () => use(`{"x":[${"1,".repeat(400_000)}1]}`),
  "8 MB of text": () => use(`{"text":"${"x".repeat(BODY)}"}`),
  "8 MB of escapes": () => use(`{"text":"${String.raw`\"`.repeat(BODY / 2)}"}`),
  "8 MB of slashes": () =>
    `{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"workbench://dev/fx/${"/".repeat(BODY)}"}}`,
  "a query of 8 MB": () =>
    call(`{"name":"search_tools","arguments":{"query":"${"foo bar ".repeat(BODY / 8)}"}}`),
  "an id of 8 MB": () => `{"jsonrpc":"2.0","id":"${"x".repeat(BODY)}","method":"ping"}`,
  "a method of 8 MB": () => `{"jsonrpc":"2.0","id":7,"method":"${"x".repeat(BODY)}"}`,
  "a name of 8 MB": () => call(`{"name":"${"_".repeat(BODY)}"}`),
};

describe.sequential("while a client sends", () => {
  async function start(): Promise<{ workbench: HttpWorkbench; client: HttpClient }> {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }), {
      args: ["--no-auth"],
    });
    const client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", useToolParams("dev/fx/echo", { text: "x" }));
    return { workbench, client };
  }

  it.each(Object.entries(BODIES))("%s, one after the other", async (what, bodyOf) => {
    const { workbench, client } = await start();
    const body = bodyOf();
    expect(await measure(what, workbench, () => client.post(body).done())).toSatisfy(isBearable);
  });

  it("thousands of requests on one connection", async () => {
    const { workbench } = await start();
    const request = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${workbench.port}\r\n\r\n`;
    const requests = request.repeat(5000);
    const measured = await measure("requests on one connection", workbench, async () => {
      const socket = connect(workbench.port, "127.0.0.1");
      // The connection is reset; that is an error only for the client that floods it.
      socket.on("error", () => {}).resume();
      socket.write(requests);
      await new Promise((resolve) => socket.once("close", resolve));
    });
    expect(measured).toSatisfy(isBearable);
  });

  it("ten of them at once", async () => {
    const { workbench, client } = await start();
    const bodies = Array.from({ length: 10 }, (_, i) =>
      use(`{${keys(40_000)}}`).replace('"id":5', `"id":${i + 10}`),
    );
    const measured = await measure("ten bodies at once", workbench, () =>
      Promise.all(bodies.map((body) => client.post(body).done())),
    );
    expect(measured).toSatisfy(isBearable);
  });
});
