/**
 * What is exported, read by other software: OTLP with its published definitions, which the first run downloads, and
 * metrics with Prometheus, which Debian's package `prometheus` installs. `npm test` decodes JSON only.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { INSTALL_ALL_MS, installAll, programOf } from "../real/install.ts";
import { OTLP_DEFINITIONS } from "../real/packages.ts";
import { useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { exchange } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench, tokenFile } from "../support/http-workbench.ts";
import { type Collector, exportingTo, startCollector } from "../support/otlp-collector.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
beforeAll(() => installAll([OTLP_DEFINITIONS]), INSTALL_ALL_MS);

const hasProgram = (name: string): boolean => spawnSync(name, ["--version"]).error === undefined;
const HAS_PROMETHEUS = hasProgram("promtool") && hasProgram("prometheus");
if (!HAS_PROMETHEUS)
  console.warn("Tests with Prometheus are skipped: it is not installed (Debian: prometheus).");

interface Decoder {
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): unknown;
}

/** Makes some calls, good and bad ones, with a name that needs escaping. */
async function makeCalls(workbench: HttpWorkbench): Promise<void> {
  const client = workbench.client();
  await client.initialize();
  for (const tool of ["echo", "tool_error", "fail", "no_such_tool"])
    await client.ask("tools/call", useToolParams(`dev/fx/${tool}`, { text: tool }));
  await client.ask("prompts/list");
  await client.ask("unknown/method");
}

async function exported(protocol: string): Promise<Collector> {
  const collector = await startCollector(cleanup);
  const env = {
    ...exportingTo(collector),
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    // Ids are random, so what both encodings have in common is the rest.
    OTEL_RESOURCE_ATTRIBUTES: "key=%C3%A9%F0%9F%98%80",
  };
  const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }), { env });
  await makeCalls(workbench);
  await workbench.stop();
  return collector;
}

describe("what is exported as protobuf", () => {
  it("is decoded by the published definitions, to the same as the JSON", async (context) => {
    const file = programOf(OTLP_DEFINITIONS, context);
    const root = createRequire(file)(file) as {
      opentelemetry: { proto: { collector: Record<string, { v1: Record<string, Decoder> }> } };
    };
    const { trace, metrics } = root.opentelemetry.proto.collector;
    const decoders: Record<string, Decoder | undefined> = {
      "/v1/traces": trace?.v1["ExportTraceServiceRequest"],
      "/v1/metrics": metrics?.v1["ExportMetricsServiceRequest"],
    };
    const [binary, json] = [await exported("http/protobuf"), await exported("http/json")];
    const decoded = binary.exports.map(({ path, body }) => {
      const decoder = decoders[path];
      if (decoder === undefined) throw new Error(`no definition for ${path}`);
      return { path, value: decoder.toObject(decoder.decode(body), { longs: String }) };
    });
    const parsed = json.exports.map(({ path, body }) => ({
      path,
      value: JSON.parse(body.toString()) as unknown,
    }));
    // Times, ids and sizes differ from run to run; names, kinds, types and counts do not.
    const shapes = (all: readonly { path: string; value: unknown }[]): string[] =>
      [...new Set(all.flatMap(({ path, value }) => shapeOf(value, path)))].toSorted();
    expect(shapes(decoded)).toEqual(shapes(parsed));
    expect(shapes(decoded).length).toBeGreaterThan(100);
    expect(binary.exports.map(({ headers }) => headers["content-type"])).toContain(
      "application/x-protobuf",
    );
  });
});

/** Every path in a value, with texts that are the same in every run. */
function shapeOf(value: unknown, path: string): string[] {
  if (Buffer.isBuffer(value)) return [path];
  if (Array.isArray(value)) return value.flatMap((one) => shapeOf(one, `${path}[]`));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, one]) => shapeOf(one, `${path}.${key}`));
  const isName = /\.(?:key|name|unit|description|kind|code|aggregationTemporality|isMonotonic)$/;
  return [isName.test(path) ? `${path}=${String(value)}` : path];
}

describe.skipIf(!HAS_PROMETHEUS)("the metrics for Prometheus", () => {
  it("pass its own check, and are scraped", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }));
    await makeCalls(workbench);
    const headers = { authorization: `Bearer ${workbench.token}` };
    const { text } = await exchange(`${workbench.url}/metrics`, { method: "GET", headers });
    const check = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
    expect([check.status, check.stderr, check.stdout]).toEqual([0, "", ""]);

    const folder = temporaryFolder(cleanup);
    const config = join(folder, "prometheus.yml");
    writeFileSync(
      config,
      [
        "global: { scrape_interval: 1s }",
        "scrape_configs:",
        "  - job_name: workbench",
        `    authorization: { credentials_file: ${JSON.stringify(tokenFile(workbench))} }`,
        `    static_configs: [{ targets: ["127.0.0.1:${workbench.port}"] }]`,
      ].join("\n"),
    );
    execFileSync("promtool", ["check", "config", config]);
    const address = `127.0.0.1:${await freePort()}`;
    const data = join(folder, "data");
    mkdirSync(data);
    const prometheus = spawn(
      "prometheus",
      [`--config.file=${config}`, `--storage.tsdb.path=${data}`, `--web.listen-address=${address}`],
      { stdio: "ignore" },
    );
    cleanup.defer(() => ended(prometheus));
    const query = async (expression: string): Promise<Sample[]> => {
      const url = `http://${address}/api/v1/query?query=${encodeURIComponent(expression)}`;
      const { text: answer } = await exchange(url, { method: "GET" });
      return (JSON.parse(answer) as { data: { result: Sample[] } }).data.result;
    };
    const count = 'mcp_server_operation_duration_seconds_count{gen_ai_tool_name="echo"}';
    const samples = await waitFor(
      async () => {
        const found = await query(count).catch(() => []);
        return found.length > 0 && found;
      },
      GENEROUS_MS,
      "the first scrape",
    );
    expect(samples).toMatchObject([
      { metric: { toolbox: "dev", server: "fx", mcp_method_name: "tools/call" } },
    ]);
    expect(samples[0]?.value[1]).toBe("1");
    const quantile = `histogram_quantile(0.9, sum by (le) (mcp_client_operation_duration_seconds_bucket))`;
    expect(Number((await query(quantile))[0]?.value[1])).toBeGreaterThan(0);
  });
});

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

function ended(program: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (program.exitCode !== null) resolve();
    program.once("exit", () => resolve());
    program.kill("SIGKILL");
  });
}
