/** Traces of clients that share a workbench. `npm test` has those of a client with its own. */
import { describe, expect, it } from "vitest";
import { textOf, useTool, useToolParams } from "../support/calls.ts";
import { runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { type ExportedSpan, exportingTo, startCollector } from "../support/otlp-collector.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { runRaw, valueOf } from "../support/scripts.ts";
import { dev, everything, fixture } from "../support/servers.ts";
import { SharedPlace } from "../support/shared.ts";

const cleanup = perTest();
const SERVER = 2;
const CLIENT = 3;
const trace = (digit: string): string => digit.repeat(32);
const parentOf = (digit: string): string => `00-${trace(digit)}-${digit.repeat(16)}-01`;
const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw-client", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

describe("clients that share a workbench with traces", () => {
  it("have their own, through questions and scripts, in both eras", async () => {
    const collector = await startCollector(cleanup);
    const config = dev(
      { fx: fixture(), modern: everything("modern") },
      { shared: { idleMs: 600_000 }, scripts: { enabled: true } },
    );
    const shared = new SharedPlace(cleanup, config);
    const asked: unknown[] = [];
    const first = await shared.client(cleanup, {
      env: { ...exportingTo(collector), OTEL_SERVICE_NAME: "shared" },
      capabilities: { elicitation: {} },
      responders: {
        "elicitation/create": ({ _meta: meta }) => {
          asked.push((meta as { traceparent?: string }).traceparent);
          return { action: "decline" };
        },
      },
    });
    // The variables are those of the client that started the shared process.
    const other = await shared.client(cleanup);
    const modern = await shared.client(cleanup, { initialize: false });
    await Promise.all([
      useTool(first, "dev/fx/elicit", {}, { meta: { traceparent: parentOf("a") } }),
      useTool(other, "dev/fx/echo", { text: "b" }, { meta: { traceparent: parentOf("b") } }),
      useTool(
        modern,
        "dev/modern/test_simple_text",
        {},
        {
          meta: { ...MODERN, traceparent: parentOf("c") },
        },
      ),
    ]);
    expect(valueOf(await runRaw(other, `await tools.dev.fx.echo({ text: "s" }); return 1;`))).toBe(
      1,
    );
    // A question to a modern client is the answer to its request, and the same call goes on with the next one.
    const params = useToolParams("dev/fx/elicit", {}, { ...MODERN, traceparent: parentOf("d") });
    const { result } = await modern.request("tools/call", params);
    const { requestState, inputRequests = {} } = result as {
      requestState: string;
      inputRequests: Record<string, { params: { _meta?: { traceparent?: string } } }>;
    };
    const [[key = "", question] = []] = Object.entries(inputRequests);
    expect(question?.params._meta?.traceparent).toContain(trace("d"));
    const answers = { requestState, inputResponses: { [key]: { action: "decline" } } };
    const ended = await modern.request("tools/call", { ...params, ...answers });
    expect(textOf(ended)).toContain("decline");
    // Not with `runCommand`, during which the collector in this process could not answer.
    const { dir: cwd, home, env, configFile } = shared.place;
    const stopped = await runCli({ home, cwd, env }, ["stop", "--config", configFile]);
    expect(stopped.code).toBe(0);

    const spansOf = (digit: string): ExportedSpan[] =>
      collector.spans.filter(({ traceId }) => traceId === trace(digit));
    await waitFor(() => spansOf("d").length >= 3, GENEROUS_MS, "the last spans");
    const [served] = spansOf("a").filter(({ kind }) => kind === SERVER);
    expect(served).toMatchObject({ parentSpanId: "a".repeat(16), name: "tools/call elicit" });
    const [elicitation] = spansOf("a").filter(({ name }) => name === "elicitation/create");
    expect(asked).toEqual([`00-${trace("a")}-${elicitation?.spanId}-01`]);
    for (const [digit, tool] of [
      ["b", "echo"],
      ["c", "test_simple_text"],
      ["d", "elicit"],
    ] as const) {
      const [server] = spansOf(digit).filter(({ kind }) => kind === SERVER);
      expect(server).toMatchObject({ name: `tools/call ${tool}`, parentSpanId: digit.repeat(16) });
      const [sent] = spansOf(digit).filter(
        ({ kind, parentSpanId }) => kind === CLIENT && parentSpanId === server?.spanId,
      );
      expect(sent?.name).toBe(`tools/call ${tool}`);
    }
    const [script] = collector.spans.filter(({ name }) => name === "tools/call run_script");
    const [inner] = collector.spans.filter(({ parentSpanId }) => parentSpanId === script?.spanId);
    expect(inner).toMatchObject({ name: "tools/call echo", kind: CLIENT });
    const sessions = new Set(
      collector.spans
        .filter(({ kind }) => kind === SERVER)
        .map(({ attributes }) => attributes["mcp.session.id"]),
    );
    expect(sessions.size).toBeGreaterThanOrEqual(2);
    expect(collector.resource).toMatchObject({ "service.name": "shared" });
  });
});
