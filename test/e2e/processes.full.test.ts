/**
 * What the owner of the machine relies on: what runs, with what, and that nothing is left behind.
 * In the full suite because it starts dozens of process trees; S-06 and S-16 to S-18 in
 * test/torture end such trees in `npm test`.
 */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fixtureStatus, openToolbox, textOf, useTool } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { closedGate } from "../support/gate.ts";
import { alive, fds, MARKER_VARIABLE, processInfo, waitFor, zombiesOf } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { dev, fixture, toolbox, withOptions } from "../support/servers.ts";
import { ENDINGS, startEveryKind } from "../support/stubborn-servers.ts";
import { chaos, STUBBORN } from "../torture/chaos.ts";
import { type RunningWorkbench, startWorkbench, temporaryFolder } from "../support/workbench.ts";

const INHERITED = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
const CANARIES = {
  AWS_SECRET_ACCESS_KEY: "canary-1",
  GITHUB_TOKEN: "canary-2",
  NODE_OPTIONS: "--no-warnings",
  LD_LIBRARY_PATH: "/nowhere",
  XDG_RUNTIME_DIR: "/nowhere",
};

/** Waits until calls of `sleep` have reached the server `fx`. */
async function sleepsReachFx(workbench: RunningWorkbench, count = 1): Promise<void> {
  const witness = workbench.witness("dev", "fx");
  const haveArrived = (): boolean => witness.callsOf("sleep").length === count;
  await waitFor(haveArrived, GENEROUS_MS, "the calls to reach the server");
}

async function allServersGone(workbench: RunningWorkbench): Promise<void> {
  await waitFor(() => workbench.servers().length === 0, GENEROUS_MS, "all processes to end");
}

describe("a server process", () => {
  const cleanup = perBlock();
  let workbench: RunningWorkbench;
  let client: RawClient;
  let cwd = "";

  beforeAll(async () => {
    cwd = join(temporaryFolder(cleanup), "project folder");
    mkdirSync(cwd);
    const environment = withOptions(fixture("--dump-env"), {
      env: { API_KEY: "declared", EMPTY: "", TERM: "overridden" },
    });
    const expanding = withOptions(fixture("--name", "${NAME}", "--dump-env"), {
      env: { A: "${SECRET}", B: "${MISSING:-default}", C: "$${literal}", D: "${NESTED}" },
    });
    const inheriting = withOptions(fixture(), { inheritEnv: ["GITHUB_TOKEN", "NOT_SET"] });
    const servers = {
      environment,
      expanding,
      inheriting,
      plain: fixture(),
      elsewhere: withOptions(fixture(), { cwd }),
    };
    const shortLived = withOptions(fixture(), { timeouts: { idleMs: 300 } });
    const toolboxes = { dev: toolbox(servers), brief: toolbox({ fx: shortLived }) };
    const user = { LOGNAME: "someone", SHELL: "/bin/sh", TERM: "xterm", USER: "someone" };
    const expanded = { NAME: "from $(env) `x`", SECRET: "s3cret", NESTED: "${SECRET}" };
    const env = { ...user, ...CANARIES, ...expanded };
    workbench = await startWorkbench(cleanup, { toolboxes }, { env });
    ({ client } = workbench);
  });

  it("inherits the variables every program needs and its declared ones, nothing else", async () => {
    const { env = {} } = await fixtureStatus(client, "dev/environment");
    const own = ["API_KEY", "EMPTY", MARKER_VARIABLE, "WITNESS"];
    expect(Object.keys(env).sort()).toEqual([...INHERITED, ...own].sort());
    expect(env).toMatchObject({
      API_KEY: "declared",
      EMPTY: "",
      TERM: "overridden",
      HOME: workbench.home,
      USER: "someone",
    });
  });

  it("inherits further variables only if inheritEnv names them", async () => {
    const { envKeys } = await fixtureStatus(client, "dev/inheriting");
    expect(envKeys).toContain("GITHUB_TOKEN");
    expect(envKeys).not.toContain("AWS_SECRET_ACCESS_KEY");
    expect(envKeys).not.toContain("NOT_SET");
    const other = await fixtureStatus(client, "dev/plain");
    expect(other.envKeys).not.toContain("GITHUB_TOKEN");
  });

  it("gets variables in its entry expanded once, and never by a shell", async () => {
    const { name, env } = await fixtureStatus(client, "dev/expanding");
    expect(name).toBe("from $(env) `x`");
    expect(env).toMatchObject({ A: "s3cret", B: "default", C: "${literal}", D: "${SECRET}" });
  });

  it("ends after idleMs without a call, and is started again for the next call", async () => {
    const other = await fixtureStatus(client, "dev/plain");
    const first = await fixtureStatus(client, "brief/fx");
    await waitFor(() => !alive(first.pid), GENEROUS_MS, "the end of the idle server");
    expect(alive(other.pid)).toBe(true);
    const second = await fixtureStatus(client, "brief/fx");
    expect(second.pid).not.toBe(first.pid);
  });

  it("runs in the folder that its entry names", async () => {
    expect((await fixtureStatus(client, "dev/elsewhere")).cwd).toBe(realpathSync(cwd));
  });

  it("leads its own process group", async () => {
    const { pid: plain } = await fixtureStatus(client, "dev/plain");
    const { pid: elsewhere } = await fixtureStatus(client, "dev/elsewhere");
    for (const pid of [plain, elsewhere])
      expect(processInfo(pid)).toMatchObject({ pgid: pid, ppid: workbench.pid });
    expect([plain, elsewhere]).not.toContain(processInfo(workbench.pid)?.pgid);
  });

  it("shares no pipe with another server", async () => {
    const servers = [
      await fixtureStatus(client, "dev/plain"),
      await fixtureStatus(client, "dev/elsewhere"),
    ];
    // Files that were open before the tests started are open everywhere.
    const inherited = new Set(fds(process.pid));
    const [first, second] = servers.map(({ pid }) =>
      fds(pid).filter((target) => isPipe(target) && !inherited.has(target)),
    );
    const own = new Set(first);
    expect(own.size).toBeGreaterThan(0);
    expect(second?.filter((pipe) => own.has(pipe))).toEqual([]);
  });

  it("may write any amount to stderr", async () => {
    const bytes = 5_000_000;
    expect(textOf(await useTool(client, "dev/plain/stderr", { bytes }))).toBe(`wrote ${bytes}`);
    const echo = await useTool(client, "dev/plain/echo", { text: "still here" });
    expect(textOf(echo)).toBe("still here");
  });
});

const isPipe = (target: string): boolean => /^(pipe|socket):/.test(target);

describe("shutdown", () => {
  const cleanup = perTest();
  /** For servers that ignore it anyway; the default time is measured elsewhere. */
  const hasty = { timeouts: { shutdownMs: 200 } };
  /** For servers that exit when asked, even if they have to wait for a processor. */
  const patient = { timeouts: { shutdownMs: GENEROUS_MS } };

  it.each(ENDINGS)("by %s ends all servers and their descendants", async (_how, { end, exits }) => {
    const workbench = await startEveryKind(cleanup, hasty);
    end(workbench);
    expect(exits).toContainEqual(await workbench.client.ended());
    await allServersGone(workbench);
  });

  it("ends descendants in other sessions of a server that ends by itself", async () => {
    const roaming = dev({ fx: chaos("--fork", "2,setsid") }, { timeouts: { shutdownMs: 1000 } });
    const workbench = await startWorkbench(cleanup, roaming);
    await openToolbox(workbench.client, "dev");
    expect(workbench.servers()).toHaveLength(3);
    await workbench.stop();
    expect(workbench.servers()).toEqual([]);
  });

  it("sends no signal to a server that ends with its input", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }, patient));
    await openToolbox(workbench.client, "dev");
    await workbench.stop();
    const events = workbench
      .witness("dev", "fx")
      .rows()
      .map(({ event }) => event);
    expect(events.slice(-2)).toEqual(["eof", "exit"]);
    expect(events).not.toContain("signal");
  });

  it("sends SIGTERM only after the end of input was ignored for shutdownMs", async () => {
    // The time that the server has to notice the end of its input.
    const config = dev({ fx: fixture("--ignore-eof") }, { timeouts: { shutdownMs: 3000 } });
    const workbench = await startWorkbench(cleanup, config);
    await openToolbox(workbench.client, "dev");
    await workbench.stop();
    const rows = workbench
      .witness("dev", "fx")
      .rows()
      .filter(({ event }) => event !== "message");
    const events = rows.map(({ event, signal }) => signal ?? event);
    expect(events).toEqual(["start", "eof", "SIGTERM", "exit"]);
  });

  it("ends servers in the middle of a call and of a handshake", async () => {
    const slow = fixture("--wait-for", closedGate(cleanup).file, "--ignore-eof");
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture(), slow }, hasty));
    const { client } = workbench;
    const calls = [
      useTool(client, "dev/fx/sleep", { ms: 600_000 }),
      useTool(client, "dev/slow/echo", { text: "x" }),
    ].map((call) => call.catch(() => {}));
    await sleepsReachFx(workbench);
    const slowStarts = (): boolean => workbench.witness("dev", "slow").starts === 1;
    await waitFor(slowStarts, GENEROUS_MS, "the slow server to start");
    client.kill("SIGTERM");
    expect((await client.ended()).code).toBe(0);
    await Promise.all(calls);
    await allServersGone(workbench);
  });

  it.each(ENDINGS.slice(0, 2))(
    "by %s lets calls finish within shutdownMs",
    async (_how, { end }) => {
      const gate = closedGate(cleanup);
      const workbench = await startWorkbench(
        cleanup,
        dev({ fx: fixture(), cold: fixture() }, patient),
      );
      const { client } = workbench;
      const held = useTool(client, "dev/fx/sleep", { until: gate.file });
      await sleepsReachFx(workbench);
      // The server of this call has yet to be started.
      const cold = useTool(client, "dev/cold/echo", { text: "in time" });
      await useTool(client, "dev/fx/echo", { text: "everything before was read" });
      end(workbench);
      expect(textOf(await cold)).toBe("in time");
      gate.open();
      expect(textOf(await held)).toBe("released");
      expect(await client.ended()).toEqual({ code: 0, signal: null });
    },
  );

  it("answers a call that does not finish within shutdownMs with an error", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }, hasty));
    const { client } = workbench;
    const endless = useTool(client, "dev/fx/sleep", { ms: 600_000 });
    await sleepsReachFx(workbench);
    client.child.stdin.end();
    expect((await endless).line).toContain("may or may not have taken effect");
    expect((await client.ended()).code).toBe(0);
  });

  it("waits no longer for stubborn servers after a second signal", async () => {
    // Without the second signal it would take longer than the test may.
    const config = dev({ fx: fixture(...STUBBORN) }, { timeouts: { shutdownMs: 600_000 } });
    const workbench = await startWorkbench(cleanup, config);
    await openToolbox(workbench.client, "dev");
    workbench.client.kill("SIGTERM");
    const witness = workbench.witness("dev", "fx");
    const hasEof = (): boolean => witness.rows().some(({ event }) => event === "eof");
    await waitFor(hasEof, GENEROUS_MS, "the first signal to take effect");
    workbench.client.kill("SIGTERM");
    expect((await workbench.client.ended()).code).toBe(0);
    await allServersGone(workbench);
  });
});

describe("the workbench", () => {
  const cleanup = perBlock();
  let client: RawClient;
  beforeAll(async () => {
    ({ client } = await startWorkbench(cleanup, dev({ fx: fixture() })));
    await openToolbox(client, "dev");
  });

  it.each(["SIGUSR1", "SIGPIPE"] as const)("goes on after %s", async (signal) => {
    client.kill(signal);
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "still here" }))).toBe("still here");
    expect(client.stderr).not.toContain("Debugger");
  });
});

describe("a server that dies", () => {
  const cleanup = perTest();

  it("fails its pending calls with toolbox, server and its last output", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture(), other: fixture() }));
    const { client } = workbench;
    const gate = closedGate(cleanup);
    const bystander = useTool(client, "dev/other/sleep", { until: gate.file });
    const pending = Array.from({ length: 5 }, () =>
      useTool(client, "dev/fx/sleep", { ms: 600_000 }),
    );
    await sleepsReachFx(workbench, 5);
    const stderr = "first line\nfatal: out of cheese\nlast words";
    const crash = useTool(client, "dev/fx/crash", { stderr });
    for (const answer of await Promise.all([...pending, crash])) {
      const { message } = answer.error ?? { message: answer.line };
      for (const part of ["'fx'", "'dev'", "fatal: out of cheese", "last words"]) {
        expect(message).toContain(part);
      }
    }
    gate.open();
    expect(textOf(await bystander)).toBe("released");
  });

  it.each(["crash", "SIGKILL", "SIGTERM"])("by %s is restarted by the next call", async (how) => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const { client } = workbench;
    const { pid } = await fixtureStatus(client, "dev/fx");
    if (how === "crash") await useTool(client, "dev/fx/crash", {});
    else process.kill(pid, how as NodeJS.Signals);
    await waitFor(() => !alive(pid), GENEROUS_MS, "the server to be gone");
    await waitFor(() => zombiesOf(workbench.pid).length === 0, GENEROUS_MS, "it to be waited for");
    expect((await fixtureStatus(client, "dev/fx")).pid).not.toBe(pid);
    expect(workbench.witness("dev", "fx").starts).toBe(2);
  });

  it("is noticed although a descendant holds its output, and the descendant ends", async () => {
    const config = dev({ fx: fixture() }, { timeouts: { shutdownMs: 200 } });
    const workbench = await startWorkbench(cleanup, config);
    const { client } = workbench;
    const { pid: holder } = JSON.parse(
      textOf(await useTool(client, "dev/fx/grandchild", { holdStdout: true })),
    ) as { pid: number };
    const { pid } = await fixtureStatus(client, "dev/fx");
    const pending = useTool(client, "dev/fx/sleep", { ms: 600_000 });
    await sleepsReachFx(workbench);
    process.kill(pid, "SIGKILL");
    expect((await pending).line).toContain("'fx'");
    await waitFor(() => !alive(holder), GENEROUS_MS, "the descendant to end");
    expect((await fixtureStatus(client, "dev/fx")).pid).not.toBe(pid);
  });

  it("leaves no pipe, process or zombie behind after several deaths", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture(), other: fixture() }));
    const { client } = workbench;
    await openToolbox(client, "dev");
    const before = fds(workbench.pid).length;
    const echo = async (): Promise<string> =>
      (await useTool(client, "dev/fx/echo", { text: "well again" })).line;
    for (let round = 0; round < 2; round++) {
      await useTool(client, "dev/fx/crash", {});
      const isBack = async (): Promise<boolean> => (await echo()).includes("well again");
      await waitFor(isBack, GENEROUS_MS, "the server to be back");
    }
    await waitFor(() => fds(workbench.pid).length <= before, GENEROUS_MS, "the pipes to be closed");
    expect(workbench.servers()).toHaveLength(2);
    expect(zombiesOf(workbench.pid)).toEqual([]);
  });
});
