/** How long the connections of a Streamable HTTP channel are kept; idle ones are in http-client.test.ts. */
import { expect, it } from "vitest";
import { openClient } from "../support/channel-client.ts";
import { startChaosHttp } from "../support/chaos-http.ts";
import { perTest } from "../support/disposables.ts";

const cleanup = perTest();

it("a stream that the server does not end is closed some time after the answer", async () => {
  const chaos = await startChaosHttp(cleanup);
  await chaos.set({ getStream: false, mode: "sse-open" });
  const client = await openClient(cleanup, `${chaos.origin}/mcp`);
  await client.initialize();
  const { answer } = await client.callTool("echo", { text: "answered" });
  expect(JSON.stringify(answer)).toContain("answered");
  await chaos.until(({ open }) => open === 0, "the end of the stream");
});
