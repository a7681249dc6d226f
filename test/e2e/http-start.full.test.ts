/**
 * Starting and stopping a workbench over HTTP, and its status. In the full suite because each case
 * starts and stops a program.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { closedGate } from "../support/gate.ts";
import { exchange, HttpClient, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench, tokenFile } from "../support/http-workbench.ts";
import { alive, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { type Config, dev, fixture, MISSING_COMMAND, toolbox } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const NO_AUTH = { args: ["--no-auth"] };
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TWO: Config = {
  toolboxes: {
    dev: toolbox({ fx: fixture("--name", "first"), other: fixture() }, "Files and notes"),
    ops: toolbox({ fx: fixture("--name", "second") }, "Deployments"),
  },
};

describe("serve --http", () => {
  it("prints its address, its endpoints and how to connect", async () => {
    const workbench = await startHttpWorkbench(cleanup, TWO);
    const output = workbench.stderr();
    expect(output).toContain(`listens on ${workbench.url}`);
    expect(output).toMatch(/\/mcp +all toolboxes: dev, ops/);
    for (const path of ["/mcp/{toolbox}", "/mcp/{toolbox}/{server}", "/healthz", "/api/status"])
      expect(output).toContain(path);
    expect(output).toContain(
      `claude mcp add --transport http workbench ${workbench.url}/mcp --header "Authorization: Bearer $(cat '${tokenFile(workbench)}')"`,
    );
    expect(workbench.servers()).toEqual([]);
  });

  it("serves the example configuration with npm start", async () => {
    const manifest = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as {
      scripts: Record<string, string>;
    };
    const start = manifest.scripts["start"]?.replace(":7333", ":0").split(" ") ?? [];
    expect(start.slice(0, 3)).toEqual(["node", "dist/bin.cjs", "serve"]);
    const state = temporaryFolder(cleanup);
    const child = spawn(process.execPath, start.slice(1), {
      cwd: ROOT,
      env: {
        PATH: process.env["PATH"],
        HOME: state,
        XDG_STATE_HOME: state,
        XDG_CACHE_HOME: state,
        DEMO_MEMORY_FILE: `${state}/memory.jsonl`,
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const exited = once(child, "close");
    cleanup.defer(() => void (child.exitCode === null && child.kill("SIGKILL")));
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    const snippet = await waitFor(
      () => /^ *(\{"mcpServers.*\})$/m.exec(output)?.[1],
      GENEROUS_MS,
      "help",
    );
    const { mcpServers } = JSON.parse(snippet) as { mcpServers: { workbench: { url: string } } };
    const token = readFileSync(`${state}/mcp-workbench/token`, "utf8").trim();
    const client = new HttpClient(mcpServers.workbench.url, token);
    await client.initialize();
    for (const name of ["workspace", "lab"]) {
      const opened = await client.ask("tools/call", {
        name: "open_toolbox",
        arguments: { toolbox: name },
      });
      const box = JSON.parse(firstText(opened) ?? "") as {
        tools: unknown[];
        servers_failed?: unknown;
      };
      expect(box.servers_failed).toBeUndefined();
      expect(box.tools.length).toBeGreaterThan(5);
    }
    const path = "workspace/filesystem/list_allowed_directories";
    const listed = await client.ask("tools/call", useToolParams(path, {}));
    expect(firstText(listed)).toContain("examples/demo/files");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });
});

describe("an endpoint", () => {
  const block = perBlock();
  let workbench: HttpWorkbench;
  beforeAll(async () => {
    workbench = await startHttpWorkbench(block, TWO, NO_AUTH);
  });

  it("keeps a client inside its toolbox", async () => {
    const client = workbench.client("/mcp/ops");
    await client.initialize();
    const calls = [
      await client.ask("tools/call", useToolParams("dev/fx/echo", { text: "x" })),
      messagesIn(
        (await client.modern("tools/call", useToolParams("dev/fx/echo", { text: "x" })).done())
          .text,
      )[0],
    ];
    for (const call of calls) {
      expect(call?.result?.["isError"]).toBe(true);
      expect(firstText(call)).toMatch(/^Toolbox 'dev' not found/);
    }
    expect(workbench.witness("dev", "fx").starts).toBe(0);
  });

  it("shows all toolboxes, one of them, or one server unchanged", async () => {
    const instructions = async (path: string): Promise<unknown> => {
      const { text } = await workbench.client(path).initialize();
      return messagesIn(text)[0]?.result?.["instructions"];
    };
    expect(await instructions("/mcp")).toMatch(/\nToolboxes: dev, ops$/);
    expect(await instructions("/mcp/ops")).toMatch(/\nToolboxes: ops$/);
    expect(await instructions("/mcp/dev/fx")).toBe("How to use first.");
    expect(await instructions("/mcp/ops/fx")).toBe("How to use second.");
  });

  it.each([
    ["/mcp/nope", /^Toolbox 'nope' not found/],
    ["/mcp/dvv", /Did you mean 'dev'\?/],
    ["/mcp/dev/nope", /^Server 'nope' not found in toolbox 'dev'/],
    ["/mcp/dev%2Ffx", /^Toolbox 'dev\/fx' not found/],
    ["/mcp/dev/", /^Not found: \/mcp\/dev\/\. The addresses are/],
    ["/mcp/dev/fx/more?token=x", /^Not found: \/mcp\/dev\/fx\/more\./],
    ["/mcp/%E0%A4%A", /^Not found: /],
    ["/", /^Not found: \//],
  ])("does not exist at %s", async (path, message) => {
    const answer = await workbench.client(path).initialize();
    expect(answer.status).toBe(404);
    expect(messagesIn(answer.text)[0]?.error?.message).toMatch(message);
  });

  it.each([
    ["PUT", "/mcp", "POST, GET, DELETE"],
    ["OPTIONS", "/mcp", "POST, GET, DELETE"],
    ["POST", "/healthz", "GET"],
    ["DELETE", "/api/status", "GET"],
  ])("does not allow %s %s", async (method, path, allow) => {
    const answer = await exchange(`${workbench.url}${path}`, { method });
    expect(answer).toMatchObject({ status: 405, headers: { allow } });
  });

  it("exists only for the toolboxes named by --toolbox", async () => {
    const args = ["--no-auth", "--toolbox", "ops"];
    const limited = await startHttpWorkbench(cleanup, TWO, { args });
    const statusOf = async (path: string): Promise<number> =>
      (await limited.client(path).initialize()).status;
    expect(await statusOf("/mcp/dev")).toBe(404);
    expect(await statusOf("/mcp/dev/fx")).toBe(404);
    expect(await statusOf("/mcp/ops/fx")).toBe(200);
    const { text } = await limited.client().initialize();
    expect(text).not.toContain("Files and notes");
  });

  it("exists only for the server named by --server", async () => {
    const args = ["--no-auth", "--server", "dev/fx"];
    const limited = await startHttpWorkbench(cleanup, TWO, { args });
    const { text } = await limited.client().initialize();
    expect(messagesIn(text)[0]?.result?.["instructions"]).toBe("How to use first.");
    const statusOf = async (path: string): Promise<number> =>
      (await limited.client(path).initialize()).status;
    expect(await statusOf("/mcp/dev/fx")).toBe(200);
    for (const path of ["/mcp/dev", "/mcp/dev/other", "/mcp/ops/fx"])
      expect(await statusOf(path)).toBe(404);
  });
});

describe("a changed configuration", () => {
  it("changes the endpoints, and leaves unaffected sessions alone", async () => {
    const workbench = await startHttpWorkbench(cleanup, TWO, NO_AUTH);
    const [stays, goes] = [workbench.client("/mcp/dev"), workbench.client("/mcp/ops/fx")];
    await Promise.all([stays.initialize(), goes.initialize()]);
    const stream = stays.listen();
    await stream.head();
    const gate = closedGate(cleanup);
    const running = stays.ask("tools/call", useToolParams("dev/fx/sleep", { until: gate.file }));
    const { dev: kept, ops } = (
      JSON.parse(readFileSync(workbench.configFile, "utf8")) as { toolboxes: Config["toolboxes"] }
    ).toolboxes;
    writeFileSync(workbench.configFile, JSON.stringify({ toolboxes: { dev: kept, fresh: ops } }));
    const fresh = workbench.client("/mcp/fresh/fx");
    const exists = async (): Promise<boolean> => (await fresh.initialize()).status === 200;
    await waitFor(exists, GENEROUS_MS, "the new address");
    expect((await fresh.ask("tools/list")).error).toBeUndefined();
    expect((await goes.request("tools/list").done()).status).toBe(404);
    expect((await workbench.client("/mcp/ops").initialize()).status).toBe(404);
    gate.open();
    expect(firstText(await running)).toBe("released");
    expect((await stays.request("ping").done()).status).toBe(200);
    expect(stream.ended).toBe(false);
  });
});

describe("/api/status", () => {
  it("reports sessions, toolboxes, and the state and calls of each server", async () => {
    const config = dev({ fx: fixture(), broken: MISSING_COMMAND, idle: fixture() });
    const workbench = await startHttpWorkbench(cleanup, config, NO_AUTH);
    const client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", useToolParams("dev/fx/echo", { text: "x" }));
    await client.ask("tools/call", useToolParams("dev/fx/fail", { code: -1 }));
    await client.ask("tools/call", useToolParams("dev/broken/x", {}));
    const { text, headers } = await exchange(`${workbench.url}/api/status`, { method: "GET" });
    expect(headers["cache-control"]).toBe("no-store");
    const [fx] = workbench.servers();
    expect(JSON.parse(text)).toMatchObject({
      version: expect.any(String),
      uptimeMs: expect.any(Number),
      config: workbench.configFile,
      sessions: 1,
      toolboxes: [
        {
          name: "dev",
          open: true,
          servers: [
            { name: "fx", state: "ready", pid: fx?.pid, restarts: 0, calls: 2, errors: 1 },
            { name: "broken", pid: null, lastError: expect.stringContaining("not found") },
            { name: "idle", state: "idle", pid: null, calls: 0, lastError: null },
          ],
        },
      ],
    });
  });
});

describe("shutdown over HTTP", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "by %s answers pending calls, ends streams and servers, and exits with 0",
    async (signal) => {
      const hasty = { ...TWO, timeouts: { shutdownMs: 200 } };
      const workbench = await startHttpWorkbench(cleanup, hasty, NO_AUTH);
      const client = workbench.client();
      await client.initialize();
      const stream = client.listen();
      await stream.head();
      const call = client.request("tools/call", useToolParams("dev/fx/sleep", { ms: 600_000 }), {
        id: 1,
      });
      await waitFor(
        () => workbench.witness("dev", "fx").callsOf("sleep").length,
        GENEROUS_MS,
        "the call to arrive",
      );
      workbench.kill(signal);
      expect(await workbench.exited).toEqual({ code: 0, signal: null });
      const answer = messagesIn((await call.done()).text)[0];
      const message = expect.stringMatching(/workbench stopped.*may or may not have taken effect/);
      expect(answer).toMatchObject({ id: 1, error: { message } });
      await stream.done();
      expect(workbench.servers()).toEqual([]);
    },
  );

  it("lets running calls finish, and refuses new ones", async () => {
    const patient = { ...fixture(), timeouts: { shutdownMs: GENEROUS_MS } };
    const gate = closedGate(cleanup);
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: patient }), NO_AUTH);
    const client = workbench.client();
    await client.initialize();
    const params = useToolParams("dev/fx/sleep", { until: gate.file });
    const call = client.request("tools/call", params, { id: 1 });
    await waitFor(
      () => workbench.witness("dev", "fx").callsOf("sleep").length,
      GENEROUS_MS,
      "the call to arrive",
    );
    workbench.kill("SIGTERM");
    const refused = await waitFor(
      async () => {
        const response = client.request(
          "tools/call",
          useToolParams("dev/fx/echo", { text: "late" }),
        );
        const { status, text } = await response.done();
        return status === 503 ? text : undefined;
      },
      GENEROUS_MS,
      "new calls to be refused",
    );
    expect(refused).toContain("shutting down");
    gate.open();
    expect((await call.done()).text).toContain("released");
    expect(await workbench.exited).toEqual({ code: 0, signal: null });
  });

  it("ends stubborn servers at once after a second signal", async () => {
    // Without the second signal it would take longer than the test may.
    const stubborn = {
      ...fixture("--ignore-eof", "--ignore-term"),
      timeouts: { shutdownMs: 600_000 },
    };
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: stubborn }), NO_AUTH);
    const client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", useToolParams("dev/fx/echo", { text: "x" }));
    workbench.kill("SIGTERM");
    const witness = workbench.witness("dev", "fx");
    const hasEof = (): boolean => witness.rows().some(({ event }) => event === "eof");
    await waitFor(hasEof, GENEROUS_MS, "the first signal to take effect");
    expect(alive(workbench.pid)).toBe(true);
    workbench.kill("SIGTERM");
    expect((await workbench.exited).code).toBe(0);
    await waitFor(() => workbench.servers().length === 0, GENEROUS_MS, "the server to end");
  });
});
