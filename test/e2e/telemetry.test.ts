/** Traces and metrics, as a collector gets them, and what clients and servers see of them. */
import { describe, expect, it } from "vitest";
import { addToken } from "../support/access-tokens.ts";
import { textOf, useTool, useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { exchange } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { type ExportedSpan, exportingTo, startCollector } from "../support/otlp-collector.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { runRaw, valueOf } from "../support/scripts.ts";
import { dev, fixture } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const SERVER = 2;
const CLIENT = 3;

describe("a workbench with a collector, over stdio", () => {
  it("traces calls from the client to the server and back, and measures them", async () => {
    const collector = await startCollector(cleanup);
    const asked: unknown[] = [];
    // At this level the log has the address of the metrics.
    const config = dev({ fx: fixture() }, { log: { level: "info" } });
    const workbench = await startWorkbench(cleanup, config, {
      args: ["serve", "--metrics", "127.0.0.1:0"],
      env: {
        ...exportingTo(collector),
        OTEL_SERVICE_NAME: "tools",
        OTEL_RESOURCE_ATTRIBUTES: "team=a%20b,service.name=ignored",
        OTEL_EXPORTER_OTLP_HEADERS: "x-team=a%2Cb",
      },
      capabilities: { elicitation: {} },
      responders: {
        "elicitation/create": (params) => {
          asked.push(params);
          return { action: "decline" };
        },
      },
    });
    const { client } = workbench;
    const witness = workbench.witness("dev", "fx");

    // Only the value of `traceparent` differs in what the server gets.
    const meta = ` {"a" : 1.0, "traceparent":"${TRACEPARENT}","tracestate":"x=1", "baggage":"k=v","z":"\\u0041"}`;
    const tool = '{"toolbox":"dev","server":"fx","name":"echo"}';
    const args = `{"tool":${tool},"arguments":{"text":"one", "n":1.50}}`;
    const params = `{"name":"use_tool","_meta":${meta},"arguments":${args}}`;
    const answer = await client.requestText("tools/call", params, { id: "raw" });
    expect(textOf(answer)).toContain("one");
    const [sent] = witness.callsOf("echo");
    const own = /"traceparent":"00-(\w{32})-(\w{16})-01"/.exec(sent?.raw ?? "");
    expect(own?.[1]).toBe(TRACE);
    expect(sent?.raw).toContain(`"_meta":${meta.trim().replace(PARENT, own?.[2] ?? "")}`);
    expect(sent?.raw).toContain('"arguments":{"text":"one", "n":1.50}');

    // Without a valid context, a new trace begins, and the rest of the invalid one is dropped.
    const invalid = { traceparent: `${TRACEPARENT}-x`, tracestate: "x=1", baggage: "k=v" };
    await useTool(client, "dev/fx/echo", { text: "two" }, { meta: invalid });
    await useTool(client, "dev/fx/echo", { text: "three" });
    const [, second, third] = witness.callsOf("echo");
    expect(Object.keys(second?.params?._meta ?? {}).toSorted()).toEqual(["baggage", "traceparent"]);
    expect(Object.keys(third?.params?._meta ?? {})).toEqual(["traceparent"]);

    await useTool(client, "dev/fx/tool_error", {});
    await useTool(client, "dev/fx/no_such_tool", {});
    await useTool(client, "dev/fx/elicit", {}, { meta: { traceparent: TRACEPARENT } });
    const script = `await tools.dev.fx.echo({ text: "s" }); await tools.dev.fx.echo({ text: "t" }); return 1;`;
    expect(valueOf(await runRaw(client, script))).toBe(1);
    const [, metrics = ""] = await client.when(
      () => /metrics are at (\S+)/.exec(client.stderr),
      "the address of the metrics",
    );
    const scraped = await exchange(metrics, { method: "GET" });
    expect(scraped.text).toContain('workbench_servers{state="ready"} 1');
    await workbench.stop();

    const { spans } = collector;
    const byName = (name: string, kind: number): ExportedSpan[] =>
      spans.filter((span) => span.name === name && span.kind === kind);
    expect(byName("initialize", SERVER)).toMatchObject([
      { attributes: { "mcp.method.name": "initialize", "network.transport": "pipe" }, status: {} },
    ]);
    const [served] = byName("tools/call echo", SERVER).filter(({ traceId }) => traceId === TRACE);
    expect(served).toMatchObject({
      parentSpanId: PARENT,
      traceState: "x=1",
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "echo",
        "mcp_workbench.toolbox": "dev",
        "mcp_workbench.server": "fx",
        "jsonrpc.request.id": "raw",
        "network.transport": "pipe",
        "mcp.protocol.version": "2025-11-25",
        "mcp.session.id": expect.stringMatching(/^\w{12}$/) as string,
      },
      status: {},
    });
    const [relayed] = byName("tools/call echo", CLIENT).filter(({ traceId }) => traceId === TRACE);
    expect(relayed).toMatchObject({ spanId: own?.[2], parentSpanId: served?.spanId });
    expect(BigInt(served?.startTimeUnixNano ?? 0)).toBeLessThanOrEqual(
      BigInt(relayed?.startTimeUnixNano ?? 0),
    );
    // A failed tool is an error, although its response is a result.
    for (const kind of [SERVER, CLIENT])
      expect(byName("tools/call tool_error", kind)).toMatchObject([
        { attributes: { "error.type": "tool_error" }, status: { code: 2 } },
      ]);
    // A name that does not exist is not stored.
    expect(byName("tools/call _other", SERVER)).toMatchObject([
      { attributes: { "error.type": "TOOL_NOT_FOUND" } },
    ]);
    expect(JSON.stringify(spans)).not.toContain('no_such_tool"}');
    // What the server asks is part of the call, and the client gets the context.
    const [question] = byName("elicitation/create", CLIENT);
    const [elicit] = byName("tools/call elicit", CLIENT);
    expect(question).toMatchObject({ traceId: TRACE, parentSpanId: elicit?.spanId });
    expect(asked).toMatchObject([
      {
        _meta: {
          traceparent: `00-${TRACE}-${question?.spanId}-01`,
          "mcp-workbench/origin": { toolbox: "dev", server: "fx" },
        },
      },
    ]);
    // The calls of a script are its children.
    const [run] = byName("tools/call run_script", SERVER);
    const children = spans.filter(({ parentSpanId }) => parentSpanId === run?.spanId);
    expect(children.map(({ name, kind }) => [name, kind])).toEqual([
      ["tools/call echo", CLIENT],
      ["tools/call echo", CLIENT],
    ]);

    expect(collector.resource).toMatchObject({ "service.name": "tools", team: "a b" });
    expect(collector.exports[0]?.headers).toMatchObject({
      "x-team": "a,b",
      "content-type": "application/json",
    });
    const counts = (name: string): number =>
      (collector.metrics.get(name)?.histogram?.dataPoints ?? []).reduce(
        (sum, { count }) => sum + Number(count),
        0,
      );
    expect(counts("mcp.client.operation.duration")).toBe(8);
    expect(counts("mcp.server.session.duration")).toBe(1);
    expect(counts("mcp.client.session.duration")).toBe(1);
    expect(collector.metrics.get("workbench.calls")?.sum?.isMonotonic).toBe(true);
  });
});

describe("the metrics of a workbench over HTTP", () => {
  it("can be read by the owner, with bounded labels", async () => {
    const rules = [{ tools: ["fx/sleep"], action: "deny" }];
    const workbench = await startHttpWorkbench(
      cleanup,
      dev({ fx: fixture() }, { policy: { rules } }),
      { args: ["--metrics", "127.0.0.1:0"] },
    );
    const client = workbench.client();
    await client.initialize();
    const ask = (path: string): Promise<unknown> =>
      client.ask("tools/call", useToolParams(path, {}));
    await ask("dev/fx/echo");
    await ask("dev/fx/tool_error");
    await ask("dev/fx/sleep");
    for (let i = 0; i < 20; i++) {
      await ask(`dev/fx/made_up_${i}`);
      await client.ask(`made/up_${i}`);
    }
    const authorization = `Bearer ${workbench.token}`;
    const url = `${workbench.url}/metrics`;
    const scraped = await exchange(url, { method: "GET", headers: { authorization } });
    expect(scraped.status).toBe(200);
    expect(scraped.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    const value = (series: string): number | undefined => {
      const line = scraped.text.split("\n").find((one) => one.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length));
    };
    const at = 'mcp_method_name="tools/call",toolbox="dev",server="fx"';
    const operations = (side: string, more: string): number | undefined =>
      value(`mcp_${side}_operation_duration_seconds_count{${at},${more}}`);
    for (const side of ["client", "server"]) {
      expect(operations(side, 'gen_ai_tool_name="echo"')).toBe(1);
      expect(operations(side, 'gen_ai_tool_name="tool_error",error_type="tool_error"')).toBe(1);
    }
    expect(operations("server", 'gen_ai_tool_name="_other",error_type="TOOL_NOT_FOUND"')).toBe(20);
    expect(scraped.text).not.toContain("made");
    expect(value('workbench_servers{state="ready"}')).toBe(1);
    expect(value("workbench_sessions")).toBe(1);
    expect(value('workbench_policy_denied_total{toolbox="dev",server="fx"}')).toBe(1);
    expect(value("workbench_approvals_pending")).toBe(0);
    expect(value("workbench_calls_in_flight")).toBe(0);
    expect(value('workbench_calls_total{toolbox="dev",server="fx",outcome="ok"}')).toBe(1);
    expect(value('workbench_restarts_total{toolbox="dev",server="fx"}')).toBe(0);
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e7);

    // For everyone else there is nothing.
    const token = await addToken(workbench, "agent");
    const other = await exchange(url, {
      method: "GET",
      headers: { authorization: `Bearer ${token}` },
    });
    const nowhere = await exchange(`${workbench.url}/metricz`, {
      method: "GET",
      headers: { authorization: `Bearer ${token}` },
    });
    expect([other.status, other.text]).toEqual([404, nowhere.text.replace("metricz", "metrics")]);
    expect((await exchange(url, { method: "GET" })).status).toBe(401);
    const posted = await exchange(url, { method: "POST", headers: { authorization } });
    expect(posted.status).toBe(405);

    // The port for metrics has nothing else, and web pages cannot read it.
    const [, own = ""] = await waitFor(
      () => /Metrics: (\S+)/.exec(workbench.stderr()),
      GENEROUS_MS,
      "the address",
    );
    expect((await exchange(own, { method: "GET" })).text).toContain("workbench_build_info{");
    expect((await exchange(own.replace("/metrics", "/mcp"), { method: "GET" })).status).toBe(404);
    expect((await exchange(own, { method: "GET", headers: { host: "evil.example" } })).status).toBe(
      403,
    );
    expect(
      (await exchange(own, { method: "GET", headers: { origin: "http://evil.example" } })).status,
    ).toBe(403);
  });

  it("count what a collector that never answers costs: spans, and no calls", async () => {
    const collector = await startCollector(cleanup);
    collector.answer = () => {};
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }), {
      env: {
        ...exportingTo(collector),
        OTEL_METRICS_EXPORTER: "none",
        OTEL_EXPORTER_OTLP_TIMEOUT: "600000",
        // Not before there are two spans, however long the server takes to start.
        OTEL_BSP_SCHEDULE_DELAY: "600000",
        OTEL_BSP_MAX_QUEUE_SIZE: "4",
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "2",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20hidden-collector-key",
      },
    });
    const client = workbench.client();
    await client.initialize();
    const witness = workbench.witness("dev", "fx");
    const headers = { traceparent: TRACEPARENT, tracestate: "x=1", baggage: "k=v" };
    const own = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    for (let i = 0; i < 10; i++) {
      // The context in the message counts; without one, that of the HTTP request does.
      const meta = i === 1 ? { traceparent: own } : undefined;
      await client
        .request("tools/call", useToolParams("dev/fx/echo", { i }, meta), { headers })
        .done();
    }
    const [plain, marked] = witness.callsOf("echo").map(({ params }) => params?._meta);
    expect(plain).toMatchObject({
      traceparent: expect.stringContaining(TRACE) as string,
      tracestate: "x=1",
      baggage: "k=v",
    });
    expect(marked).toEqual({
      traceparent: expect.stringContaining("a".repeat(32)) as string,
    });
    expect(collector.exports.every(({ path }) => path === "/v1/traces")).toBe(true);
    const authorization = `Bearer ${workbench.token}`;
    const { text } = await exchange(`${workbench.url}/metrics`, {
      method: "GET",
      headers: { authorization },
    });
    // 21 spans; two are on their way, four wait.
    expect(/^workbench_telemetry_spans_dropped_total (\d+)$/m.exec(text)?.[1]).toBe("15");
    expect((await workbench.stop()).code).toBe(0);
    expect(workbench.stderr()).not.toContain("hidden-collector-key");
  });
});
