/**
 * Problems around the program while it serves: full disks, missing readers, early ends. In the full
 * suite because each problem needs a program of its own.
 */
import { spawn } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureOf, textOf, useTool } from "../support/calls.ts";
import { Disposables } from "../support/disposables.ts";
import { RawClient } from "../support/raw-client.ts";
import { type Config, toolbox } from "../support/servers.ts";
import { initialize, type Place, prepareWorkbench, startWorkbench } from "../support/workbench.ts";
import { chaos } from "./chaos.ts";

let disposables: Disposables;
beforeEach(() => {
  disposables = new Disposables();
});
afterEach(() => disposables.dispose());

function config(options: object = {}): Config {
  const servers = { fine: chaos(), dies: chaos("--die", "before-init") };
  return { ...options, toolboxes: { dev: toolbox(servers) } };
}

/** The program with its output redirected as a shell would. */
function startRedirected(place: Place, redirection: string): RawClient {
  const script = `exec "$@" ${redirection}`;
  const child = spawn("/bin/sh", ["-c", script, "sh", place.command, ...place.args], {
    cwd: place.dir,
    env: place.env,
    stdio: "pipe",
  });
  const client = new RawClient(child);
  disposables.defer(() => client.close());
  return client;
}

/**
 * Calls a server that dies, which is logged, and returns a healthy server's answer in the meantime.
 */
async function service(client: RawClient): Promise<string[]> {
  const answers: string[] = [];
  for (const text of SERVED) {
    expect(failureOf(await useTool(client, "dev/dies/echo", { text }))).toContain("'dies'");
    answers.push(textOf(await useTool(client, "dev/fine/echo", { text })));
  }
  return answers;
}

/** Standard error may be read later than the answers on standard output. */
const WAIT_MS = 90_000;
const SERVED = ["one", "two", "three"];

describe("the workbench keeps serving", () => {
  const log = { level: "debug", file: "/dev/full" };

  it("when the disk of its log file is full, and reports that once", async () => {
    const place = prepareWorkbench(disposables, config({ log }));
    const client = startRedirected(place, "");
    await initialize(client);
    expect(await service(client)).toEqual(SERVED);
    const lost = (): string[] => client.stderr.match(/cannot write to the log file/g) ?? [];
    await client.when(() => lost().length > 0, "the report", WAIT_MS);
    expect(lost()).toHaveLength(1);
  });

  it.each([
    ["on a full disk as well", "2>/dev/full"],
    ["closed", "2>&-"],
  ])("when the disk of its log file is full and standard error is %s", async (_, redirection) => {
    const place = prepareWorkbench(disposables, config({ log }));
    const client = startRedirected(place, redirection);
    await initialize(client);
    expect(await service(client)).toEqual(SERVED);
  });

  it("when its standard error is no longer read", async () => {
    const { client } = await startWorkbench(disposables, config({ log: { level: "debug" } }));
    client.child.stderr.destroy();
    expect(await service(client)).toEqual(SERVED);
  });

  it("when the folders for its state and its cache cannot be made", async () => {
    const nowhere = "/dev/null/nowhere";
    const { client } = await startWorkbench(disposables, config(), {
      env: { XDG_STATE_HOME: nowhere, XDG_CACHE_HOME: nowhere },
    });
    expect(await service(client)).toEqual(SERVED);
  });
});

describe("a client over stdio", () => {
  const limits = { messageBytes: 10_000 };
  const text = "x".repeat(20_000);
  const params = JSON.stringify({ name: "use_tool", arguments: { text } });

  it.each([
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params}}`,
    `{"method":"tools/call","params":${params},"jsonrpc":"2.0","id":7}`,
  ])("gets an answer to a request above the size limit, wherever its id is (%#)", async (line) => {
    const { client } = await startWorkbench(disposables, config({ limits }));
    client.sendLine(line);
    const [answer] = await client.when(
      () => {
        const answers = client.responsesTo(7);
        return answers.length > 0 && answers;
      },
      "the answer",
      WAIT_MS,
    );
    expect(answer?.error?.message).toContain("exceeds the limit of 10000 (limits.messageBytes)");
  });

  it("gets an answer to a last line without a line break", async () => {
    const { client } = await startWorkbench(disposables, config());
    client.child.stdin.write('{"jsonrpc":"2.0","id":"last","method":"ping"}');
    await client.close();
    expect(client.unmatched.splice(0).map(({ id, result }) => ({ id, result }))).toEqual([
      { id: "last", result: {} },
    ]);
  });
});

describe("a server that writes lines that are not messages", () => {
  it("is reported in the log once", async () => {
    const noisy = chaos("--noise", "text,notrpc");
    const { client } = await startWorkbench(disposables, {
      toolboxes: { dev: toolbox({ noisy }) },
    });
    for (let i = 0; i < 5; i++) await useTool(client, "dev/noisy/echo", { text: "x" });
    const reports = (): string[] =>
      client.stderr.match(/WARN .*not a message.*server="noisy"/g) ?? [];
    await client.when(() => reports().length > 0, "the report", WAIT_MS);
    expect(reports()).toHaveLength(1);
  });
});

describe("a server that lists more tools than the limit allows", () => {
  it("is used all the same, and the log names the limit", async () => {
    const many = { ...chaos("--tools", "50"), limits: { tools: 20 } };
    const endless = { ...chaos("--cursor", "endless"), limits: { pages: 7 } };
    const { client } = await startWorkbench(disposables, {
      toolboxes: { dev: toolbox({ many, endless }) },
    });
    for (const server of ["many", "endless"])
      expect(textOf(await useTool(client, `dev/${server}/echo`, { text: "x" }))).toBe("x");
    for (const report of [
      /more than 20 tools.*limits\.tools.*server="many"/,
      /more than 7 pages.*limits\.pages.*server="endless"/,
    ])
      expect(
        await client.when(() => report.exec(client.stderr), "the report", WAIT_MS),
      ).toBeTruthy();
  });
});
