/** How long the connections of a Streamable HTTP channel are kept: the tests wait, so they wait together. */
import { describe, expect, it } from "vitest";
import { openClient } from "../support/channel-client.ts";
import { type ChaosHttp, startChaosHttp } from "../support/chaos-http.ts";
import { type Disposables, disposablesOf } from "../support/disposables.ts";

/** Longer than an idle connection is kept. */
const LONG_MS = 4500;

async function connect(cleanup: Disposables, settings: Readonly<Record<string, unknown>>) {
  const chaos: ChaosHttp = await startChaosHttp(cleanup);
  await chaos.set({ getStream: false, ...settings });
  const client = await openClient(cleanup, `${chaos.origin}/mcp`);
  await client.initialize();
  return { chaos, client };
}

describe.concurrent("a connection of a Streamable HTTP channel", () => {
  it("is kept for a call that takes longer than an idle connection may", async (context) => {
    const { client } = await connect(disposablesOf(context), {});
    await client.callTool("echo");
    const { answer } = await client.callTool("slow", { ms: LONG_MS, text: "slept" });
    expect(JSON.stringify(answer)).toContain("slept");
  });

  it("is closed some time after the answer when the server does not end the stream", async (context) => {
    const { chaos, client } = await connect(disposablesOf(context), { mode: "sse-open" });
    const { answer } = await client.callTool("echo", { text: "answered" });
    expect(JSON.stringify(answer)).toContain("answered");
    await chaos.until(({ open }) => open === 0, "the end of the stream");
  });
});
