/**
 * What docs/telemetry.md says is what the program does. In the full suite because each page test
 * starts several programs; docs.test.ts checks all pages in `npm test`.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { exchange } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { startCollector } from "../support/otlp-collector.ts";
import { dev, fixture } from "../support/servers.ts";
import { prepareWorkbench } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const page = readFileSync(new URL("../../docs/telemetry.md", import.meta.url), "utf8");
const cleanup = perTest();

describe("docs/telemetry.md", () => {
  it("has variables with which a call is exported", async () => {
    const example = blocksOf(page)
      .map(({ lines }) => lines)
      .find((lines) => lines[0]?.startsWith("export "));
    const collector = await startCollector(cleanup);
    const env: Record<string, string> = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
    for (const line of example ?? []) {
      const [, name, value = ""] = /^export (\w+)=(.*)$/.exec(line) ?? [];
      if (name !== undefined) env[name] = value.replace("http://127.0.0.1:4318", collector.url);
    }
    const [command = ""] = (example ?? []).filter((line) => line.startsWith("mcp-workbench "));
    const place = prepareWorkbench(cleanup, dev({ fx: fixture() }), { env });
    const words = [...command.split(" ").slice(1), "--config", place.configFile];
    expect(await runCli({ ...place, cwd: place.dir }, words)).toMatchObject({ code: 0 });
    expect(collector.spans.map(({ name, kind }) => [name, kind])).toContainEqual([
      "tools/call echo",
      3,
    ]);
    expect(collector.resource).toMatchObject({ "service.name": "my-tools", team: "platform" });
  });

  it("names every metric that can be read", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }));
    const headers = { authorization: `Bearer ${workbench.token}` };
    const { text } = await exchange(`${workbench.url}/metrics`, { method: "GET", headers });
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(10);
    const isNamed = (name: string): boolean =>
      /^(?:process|nodejs)_/.test(name) || page.includes(`\`${name}\``);
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
  });
});
