/**
 * How long others wait while large results are stored: less than a quarter of a second, as for every other message. Measured,
 * so it needs an idle machine; what is stored, and for whom, is tested in large-results.test.ts.
 */
import { expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { scriptServer } from "../support/script-server.ts";
import { dev } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const MAX_DELAY_MS = 250;
const RESULTS = 5;

it("others wait less than 250 ms while results of 8 MB are parsed and stored", async () => {
  const program = `
    const rows = Array.from({ length: 15_000 }, (_, id) => ({ id, body: "lorem ipsum ".repeat(40) }));
    const text = JSON.stringify({ rows });
    serve({
      ...legacy({ tools: {} }),
      "tools/list": () => ({ tools: [{ name: "list", inputSchema: { type: "object" } }] }),
      "tools/call": () => ({ content: [{ type: "text", text }] }),
    });`;
  const config = dev({ fx: scriptServer(cleanup, program) }, { results: { limit: 20_000 } });
  const { client } = await startWorkbench(cleanup, config);
  const delays: number[] = [];
  const done = new AbortController();
  const bystander = async (): Promise<void> => {
    while (!done.signal.aborted) {
      const begin = performance.now();
      await client.request("ping", {});
      delays.push(performance.now() - begin);
    }
  };
  const watching = bystander();
  for (let i = 1; i <= RESULTS; i++) {
    const { line } = await client.request("tools/call", useToolParams("dev/fx/list"));
    expect(line).toContain(String.raw`{\"result\":\"r${i}\",\"bytes\":7`);
  }
  done.abort();
  await watching;
  expect(delays.length).toBeGreaterThan(RESULTS);
  // Every result delays a request by as much; other programs may delay one or two of them further.
  const [, , third] = delays.toSorted((a, b) => b - a);
  expect(third).toBeLessThan(MAX_DELAY_MS);
});
