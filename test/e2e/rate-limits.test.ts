/** How often clients may call, whatever sessions they open. */
import { describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { auditRows } from "../support/audit.ts";
import type { Params } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import { type HttpClient, messagesIn } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";

const cleanup = perTest();
const HOUR = 3_600_000;
const RETRY_AFTER = "mcp-workbench/retry-after-ms";

async function session(client: HttpClient): Promise<HttpClient> {
  await client.initialize();
  return client;
}

describe("rate limits over HTTP", () => {
  it("count a principal over all sessions and both eras, state the wait, and start no server", async () => {
    const rate = [
      { tools: ["fx/echo"], calls: 3, perMs: HOUR },
      { tools: ["never/*"], calls: 1, perMs: HOUR },
      { calls: 6, perMs: HOUR },
    ];
    const config = (more: object = {}) =>
      dev(
        { fx: fixture(), never: fixture() },
        { limits: { rate, ...more }, log: { level: "info" } },
      );
    const workbench = await startHttpWorkbench(cleanup, config());
    const echo = (client: HttpClient, text: string, server = "fx") =>
      client.ask("tools/call", useToolParams(`dev/${server}/echo`, { text }));
    const first = await session(workbench.client());
    const second = await session(workbench.client());
    expect(firstText(await echo(first, "a"))).toBe("a");
    expect(firstText(await echo(second, "b"))).toBe("b");
    const modern = await workbench
      .client()
      .modern("tools/call", useToolParams("dev/fx/echo", { text: "c" }))
      .done();
    expect(firstText(messagesIn(modern.text)[0])).toBe("c");

    const limited = await echo(await session(workbench.client()), "d");
    expect(limited.result).toMatchObject({ isError: true });
    expect(firstText(limited)).toMatch(
      /^Rate limit for fx\/echo: 3 calls per hour\. Try again in \d+ s$/,
    );
    const wait = (limited.result?.["_meta"] as Params | undefined)?.[RETRY_AFTER];
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(HOUR / 3);

    // A change elsewhere in the configuration does not reset the counts.
    workbench.writeConfig(config({ queue: 100 }));
    const isApplied = (): boolean => workbench.stderr().includes("configuration applied");
    await waitFor(isApplied, GENEROUS_MS, "the change");
    expect(firstText(await echo(first, "e"))).toMatch(/^Rate limit for fx\/echo/);

    // The third limit counts all methods; other methods get a JSON-RPC error.
    for (let i = 0; i < 3; i++) await first.ask("tools/call", useToolParams("dev/fx/status", {}));
    expect(firstText(await echo(first, "x", "never"))).toMatch(/^Rate limit: 6 calls per hour/);
    const read = await first.ask("resources/read", { uri: "workbench://dev/never/x" });
    expect(read.error).toMatchObject({
      code: 429,
      message: expect.stringMatching(
        /^Rate limit: 6 calls per hour\. Try again in \d+ s$/,
      ) as string,
      data: { retryAfterMs: expect.any(Number) as number },
    });
    expect(workbench.witness("dev", "never").starts).toBe(0);
    expect(workbench.witness("dev", "fx").callsOf("echo")).toHaveLength(3);
    // Lists and meta-tools are not limited.
    await first.ask("prompts/list");
    expect(
      (await first.ask("tools/call", { name: "search_tools", arguments: { query: "echo" } })).result
        ?.isError,
    ).toBeUndefined();
    await workbench.stop();
    const denied = auditRows(workbench).filter(({ outcome }) => outcome === "denied");
    expect(denied.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => "RATE_LIMITED"));
  });
});
