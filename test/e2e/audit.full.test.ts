/**
 * One entry for each call, however it ends, and no call without an entry where that is required. In
 * the full suite because each case starts a workbench; the unit tests of src/audit are in `npm test`.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { auditFiles } from "../../src/audit/file-names.ts";
import { auditFolderOf, auditRows } from "../support/audit.ts";
import {
  failureOf,
  resultOf,
  textOf,
  toolErrorOf,
  useTool,
  useToolParams,
} from "../support/calls.ts";
import { runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { messagesIn } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture, withOptions } from "../support/servers.ts";
import {
  type RunningWorkbench,
  prepareWorkbench,
  startIn,
  startWorkbench,
} from "../support/workbench.ts";

const cleanup = perTest();

describe("the audit log over HTTP", () => {
  it("has one entry for each call of both eras, with its outcome, and can be verified and exported", async () => {
    const servers = {
      fx: fixture(),
      // The list of its tools has to arrive within this time as well.
      slow: withOptions(fixture(), { timeouts: { callMs: 3000 } }),
      gone: { command: "no-such-program-anywhere", args: [] },
    };
    const workbench = await startHttpWorkbench(cleanup, dev(servers));
    const client = workbench.client();
    await client.initialize();
    const ask = async (path: string, args = {}): Promise<void> =>
      void (await client.ask("tools/call", useToolParams(path, args)));
    await ask("dev/fx/echo", { text: "confidential" });
    await ask("dev/fx/tool_error");
    await ask("dev/fx/no_such_tool");
    await ask("dev/no_such_server/echo");
    await ask("dev/gone/echo");
    await ask("dev/slow/sleep", { ms: 600_000 });
    await client.ask("tools/call", { name: "use_tool", arguments: { tool: "not an object" } });
    await client.ask("tools/call", { name: "no_such_tool" });
    await client.ask("tools/call", {});
    await client.ask("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
    await client.ask("prompts/get", { name: "none" });
    await client.ask("resources/read", { uri: "file:///none" });
    // None of these goes to a server.
    await client.ask("ping");
    await client.ask("tools/list");
    // Cancelled by its client, and parked until a modern client comes back.
    const sleeping = client.request("tools/call", useToolParams("dev/fx/sleep", { ms: 600_000 }), {
      id: "c",
    });
    const witness = workbench.witness("dev", "fx");
    await waitFor(() => witness.callsOf("sleep").length === 1, GENEROUS_MS, "the call");
    await client.notify("notifications/cancelled", { requestId: "c" });
    await sleeping.done();
    const capabilities = { elicitation: {} };
    const params = useToolParams("dev/fx/elicit", {});
    const parked = await client.modern("tools/call", params, { capabilities }).done();
    const asked = messagesIn(parked.text)[0]?.result;
    const [key = ""] = Object.keys(asked?.["inputRequests"] as object);
    const inputResponses = { [key]: { action: "decline" } };
    const again = { ...params, inputResponses, requestState: asked?.["requestState"] };
    await client.modern("tools/call", again, { capabilities }).done();
    // Still in flight when the program ends.
    const last = client.request("tools/call", useToolParams("dev/fx/sleep", { ms: 600_000 }));
    await waitFor(() => witness.callsOf("sleep").length === 2, GENEROUS_MS, "the call");
    await workbench.stop();
    await last.done().catch(() => {});

    const rows = auditRows(workbench);
    const seen = rows
      .slice(0, -1)
      .map(({ server, tool, prompt, method, outcome, code }) =>
        [outcome, [server, tool ?? prompt ?? method].filter(Boolean).join("/"), code]
          .filter(Boolean)
          .join(" "),
      );
    expect(seen.toSorted()).toEqual(
      [
        "ok fx/echo",
        "tool_error fx/tool_error",
        "error fx/no_such_tool TOOL_NOT_FOUND",
        "error no_such_server/echo SERVER_NOT_FOUND",
        "error gone/echo CONNECTION_FAILED",
        "timeout slow/sleep CALL_TIMEOUT",
        "error use_tool INVALID_PARAMETERS",
        "error no_such_tool -32602",
        "error tools/call -32602",
        "ok open_toolbox",
        "error none -32602",
        "error resources/read -32602",
        "cancelled fx/sleep",
        "ok fx/elicit",
      ].toSorted(),
    );
    // It depends on the order of the shutdown how the last call ended.
    expect(["error", "cancelled"]).toContain(rows.at(-1)?.outcome);
    expect(rows[0]).toMatchObject({
      principal: { kind: "owner", name: "owner" },
      client: { name: "http-client", version: "1.0.0" },
      toolbox: "dev",
      argsShape: { text: "string" },
    });
    expect(JSON.stringify(rows)).not.toContain("confidential");

    const cli = (...args: string[]) =>
      runCli({ ...workbench, cwd: workbench.dir }, ["audit", ...args]);
    const verified = await cli("verify");
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("no entry was changed") as string,
    });
    const denied = await cli(
      "--json",
      "--server",
      "dev/fx",
      "--outcome",
      "tool_error",
      "--since",
      "1h",
    );
    expect(
      denied.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([{ tool: "tool_error" }]);
    const exported = await cli("export");
    expect(
      exported.stdout.split("\n").filter((line) => line.includes('"event":"call"')),
    ).toHaveLength(13);
    const table = await cli("export", "--format", "csv", "--tool", "echo");
    expect(table.stdout.split("\r\n")[1]).toMatch(/^\d+-[0-9a-f]{8},2,[0-9a-f]{64},/);

    const folder = auditFolderOf(workbench);
    const file = join(folder, auditFiles(folder)[0]?.name ?? "");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace('"tool":"tool_error"', '"tool":"echo_error"'),
    );
    const broken = await cli("verify");
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(
      /jsonl:4: the hash does not match: this entry, or entry 3 before it, was changed/,
    );
  });
});

describe("the audit log of a workbench over HTTP that ends", () => {
  it("records a call that the end cut off as such, not as cancelled by its client", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }));
    const client = workbench.client();
    await client.initialize();
    const call = client.ask("tools/call", useToolParams("dev/fx/sleep", { ms: 600_000 }));
    const witness = workbench.witness("dev", "fx");
    await waitFor(() => witness.callsOf("sleep").length === 1, GENEROUS_MS, "the call");
    await workbench.stop();
    expect(JSON.stringify(await call)).toContain("The workbench stopped");
    expect(auditRows(workbench)).toMatchObject([
      { tool: "sleep", outcome: "error", code: "CUT_OFF" },
    ]);
  });
});

describe("the audit log over stdio", () => {
  it("does not exist by default; the command line follows the setting; kill -9 loses nothing older", async () => {
    const config = dev({ fx: fixture() });
    const quiet = await startWorkbench(cleanup, config);
    expect(textOf(await useTool(quiet.client, "dev/fx/echo", { text: "x" }))).toBe("x");
    await quiet.stop();
    expect(existsSync(auditFolderOf(quiet))).toBe(false);

    quiet.writeConfig({ ...config, audit: { enabled: true } });
    const run = await runCli({ ...quiet, cwd: quiet.dir }, [
      "call",
      "dev/fx/echo",
      "text=y",
      "--config",
      quiet.configFile,
    ]);
    expect(run.code).toBe(0);
    expect(auditRows(quiet)).toMatchObject([
      { tool: "echo", outcome: "ok", principal: { kind: "local" } },
    ]);

    const killed = await startWorkbench(cleanup, { ...config, audit: { enabled: true } });
    await useTool(killed.client, "dev/fx/echo", { text: "x" });
    await waitFor(() => auditRows(killed).length === 1, GENEROUS_MS, "the entry");
    killed.client.kill("SIGKILL");
    await killed.client.exited;
    const verified = await runCli({ ...killed, cwd: killed.dir }, ["audit", "verify", "--json"]);
    expect(JSON.parse(verified.stdout)).toMatchObject({ isIntact: true, entries: 2 });
  });
});

describe("the audit log of several workbenches", () => {
  it("has every call of each, also of one that is killed, and can be verified", async () => {
    const config = dev({ fx: fixture() }, { audit: { enabled: true, required: true } });
    const place = prepareWorkbench(cleanup, config);
    const workbenches = [await startIn(cleanup, place), await startIn(cleanup, place)];
    const answered = async ({ client }: RunningWorkbench, count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await useTool(client, "dev/fx/echo", { text: `${i}` });
    };
    const [first, second] = workbenches;
    if (first === undefined || second === undefined) throw new Error("not started");
    await Promise.all(workbenches.map((workbench) => answered(workbench, 20)));
    // What was answered is written, because the log is required.
    first.client.kill("SIGKILL");
    await Promise.all([first.client.exited, answered(second, 20)]);
    await second.stop();
    const rows = auditRows(place);
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 60 }, () => "ok"));
    expect(new Set(rows.map(({ run }) => run)).size).toBe(2);
    const at = { ...place, cwd: place.dir };
    const verified = await runCli(at, ["audit", "verify", "--json"]);
    expect(JSON.parse(verified.stdout)).toMatchObject({ isIntact: true, entries: 62 });

    // A line that is cut off, as a power failure leaves it, is reported; the others can still be read.
    const [file = ""] = readdirSync(auditFolderOf(place));
    const path = join(auditFolderOf(place), file);
    truncateSync(path, statSync(path).size - 10);
    const cut = await runCli(at, ["audit", "verify"]);
    expect(cut.code).toBe(1);
    expect(cut.stdout).toContain("the line is incomplete: the process was killed");
    const read = await runCli(at, ["audit", "export"]);
    expect(read.stdout.split("\n").filter((line) => line.includes('"event":"call"'))).toHaveLength(
      59,
    );
  });
});

describe("a required audit log", () => {
  it("refuses calls, which then have no effect, while its folder cannot be used", async () => {
    const place = prepareWorkbench(cleanup, dev({ fx: fixture() }, { audit: { required: true } }));
    const folder = auditFolderOf(place);
    mkdirSync(dirname(folder), { recursive: true });
    const workbench = await startIn(cleanup, place);
    writeFileSync(folder, "in the way");
    const refused = await useTool(workbench.client, "dev/fx/echo", { text: "x" });
    expect(toolErrorOf(refused)).toMatch(
      /audit log is required but cannot be written.*not executed/,
    );
    expect(workbench.servers()).toEqual([]);
    expect(failureOf(await workbench.client.request("prompts/list", {}))).toMatch(/audit log/);
    await workbench.client.request("ping", {});
    rmSync(folder);
    expect(textOf(await useTool(workbench.client, "dev/fx/echo", { text: "x" }))).toBe("x");
    await workbench.stop();
    expect(auditRows(place).map(({ outcome }) => outcome)).toEqual(["denied", "denied", "ok"]);
  });

  // Windows has no `ulimit`.
  it.skipIf(process.platform === "win32")(
    "withholds the result that it cannot record, and refuses all further calls, on a full disk",
    async () => {
      // A limit on the size of files has the effect of a full disk: part of a line may be written.
      const audit = { required: true, arguments: "redacted" };
      const server = withOptions(fixture(), { env: { WITNESS: "" } });
      const place = prepareWorkbench(cleanup, dev({ fx: server }, { audit }));
      const limited = join(place.dir, "limited.sh");
      writeFileSync(limited, `ulimit -f 64\nexec "$@"\n`);
      const args = [limited, place.command, ...place.args];
      const workbench = await startIn(cleanup, { ...place, command: "/bin/sh", args });
      const large = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [i, "x".repeat(190)]));
      const call = () => useTool(workbench.client, "dev/fx/echo", { text: "x", ...large });
      let answer = await call();
      let calls = 1;
      for (; resultOf(answer).isError !== true; calls++) answer = await call();
      expect(toolErrorOf(answer)).toMatch(
        /EFBIG.*may have taken effect, and its result is withheld/,
      );
      expect(toolErrorOf(await call())).toMatch(/EFBIG.*not executed/);
      await workbench.stop();
      // At the end, what was pending fits into another file. Every line is whole.
      expect(auditRows(workbench)).toHaveLength(calls + 1);
      const verified = await runCli({ ...workbench, cwd: workbench.dir }, ["audit", "verify"]);
      expect(verified.code).toBe(0);
    },
  );
});
