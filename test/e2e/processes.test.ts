/** What the owner of the machine relies on: what runs, with what, and that nothing is left behind. */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureStatus, openToolbox, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { alive, fds, MARKER_VARIABLE, processInfo, waitFor, zombiesOf } from "../support/proc.ts";
import type { Exit, Params } from "../support/raw-client.ts";
import { dev, fixture, type ServerEntry, withOptions, wrappedFixture } from "../support/servers.ts";
import { chaos, STUBBORN } from "../torture/chaos.ts";
import { type RunningWorkbench, startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

const INHERITED = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
const CANARIES = {
  AWS_SECRET_ACCESS_KEY: "canary-1",
  GITHUB_TOKEN: "canary-2",
  NODE_OPTIONS: "--no-warnings",
  LD_LIBRARY_PATH: "/nowhere",
  XDG_RUNTIME_DIR: "/nowhere",
};

describe("a server", () => {
  it("inherits what every program needs and what is declared, and nothing else", async () => {
    const declared = withOptions(fixture("--dump-env"), {
      env: { API_KEY: "declared", EMPTY: "", TERM: "overridden" },
    });
    const workbench = await startWorkbench(cleanup, dev({ fx: declared }), {
      env: { LOGNAME: "someone", SHELL: "/bin/sh", TERM: "xterm", USER: "someone", ...CANARIES },
    });
    const { env = {} } = await fixtureStatus(workbench.client, "dev/fx");
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

  it("inherits further variables only by name", async () => {
    const entry = withOptions(fixture(), { inheritEnv: ["GITHUB_TOKEN", "NOT_SET"] });
    const workbench = await startWorkbench(cleanup, dev({ fx: entry, other: fixture() }), {
      env: CANARIES,
    });
    const { envKeys } = await fixtureStatus(workbench.client, "dev/fx");
    expect(envKeys).toContain("GITHUB_TOKEN");
    expect(envKeys).not.toContain("AWS_SECRET_ACCESS_KEY");
    expect(envKeys).not.toContain("NOT_SET");
    const other = await fixtureStatus(workbench.client, "dev/other");
    expect(other.envKeys).not.toContain("GITHUB_TOKEN");
  });

  it("gets variables that its entry refers to, expanded once and never by a shell", async () => {
    const entry = withOptions(fixture("--name", "${NAME}", "--dump-env"), {
      env: { A: "${SECRET}", B: "${MISSING:-default}", C: "$${literal}", D: "${NESTED}" },
    });
    const workbench = await startWorkbench(cleanup, dev({ fx: entry }), {
      env: { NAME: "from $(env) `x`", SECRET: "s3cret", NESTED: "${SECRET}" },
    });
    const { name, env } = await fixtureStatus(workbench.client, "dev/fx");
    expect(name).toBe("from $(env) `x`");
    expect(env).toMatchObject({ A: "s3cret", B: "default", C: "${literal}", D: "${SECRET}" });
  });

  it("ends when nobody has used it for a while, and is there again for the next call", async () => {
    const entry = withOptions(fixture(), { timeouts: { idleMs: 300 } });
    const workbench = await startWorkbench(cleanup, dev({ fx: entry, other: fixture() }));
    const other = await fixtureStatus(workbench.client, "dev/other");
    const first = await fixtureStatus(workbench.client, "dev/fx");
    await waitFor(() => !alive(first.pid), 5000, "the end of the idle server");
    expect(alive(other.pid)).toBe(true);
    const second = await fixtureStatus(workbench.client, "dev/fx");
    expect(second.pid).not.toBe(first.pid);
  });

  it("runs in the folder its entry names", async () => {
    const cwd = join(temporaryFolder(cleanup), "project folder");
    mkdirSync(cwd);
    const workbench = await startWorkbench(cleanup, dev({ fx: withOptions(fixture(), { cwd }) }));
    expect((await fixtureStatus(workbench.client, "dev/fx")).cwd).toBe(realpathSync(cwd));
  });

  it("leads a process group of its own", async () => {
    const workbench = await startWorkbench(cleanup, dev({ one: fixture(), two: fixture() }));
    await openToolbox(workbench.client, "dev");
    const servers = workbench.servers();
    expect(servers).toHaveLength(2);
    for (const { pid, pgid, ppid } of servers) {
      expect(pgid).toBe(pid);
      expect(ppid).toBe(workbench.pid);
    }
    expect(processInfo(workbench.pid)?.pgid).not.toBe(servers[0]?.pgid);
  });

  it("holds no pipe but its own", async () => {
    const workbench = await startWorkbench(cleanup, dev({ one: fixture(), two: fixture() }));
    await openToolbox(workbench.client, "dev");
    // What whoever started the tests left open is everywhere, and nobody's fault.
    const inherited = new Set(fds(process.pid));
    const [first, second] = workbench
      .servers()
      .map(({ pid }) => fds(pid).filter((target) => isPipe(target) && !inherited.has(target)));
    const own = new Set(first);
    expect(own.size).toBeGreaterThan(0);
    expect(second?.filter((pipe) => own.has(pipe))).toEqual([]);
  });

  it("may write to stderr as much as it likes", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const bytes = 5_000_000;
    expect(textOf(await useTool(client, "dev/fx/stderr", { bytes }))).toBe(`wrote ${bytes}`);
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "still here" }))).toBe("still here");
  });
});

const isPipe = (target: string): boolean => /^(pipe|socket):/.test(target);

describe("the end of the workbench", () => {
  const everyKind: Record<string, ServerEntry> = {
    good: fixture(),
    deaf: fixture("--ignore-eof"),
    stubborn: fixture(...STUBBORN),
    wrapped: wrappedFixture(...STUBBORN),
    parent: fixture(),
    roaming: chaos(...STUBBORN, "--fork", "2,setsid"),
  };

  async function startEveryKind(options: Params): Promise<RunningWorkbench> {
    const workbench = await startWorkbench(cleanup, dev(everyKind, options));
    expect((await openToolbox(workbench.client, "dev")).servers_connected).toBe(6);
    // One grandchild below a plain server, one below a wrapped server, two with their own sessions.
    await useTool(workbench.client, "dev/parent/grandchild", {});
    await useTool(workbench.client, "dev/wrapped/grandchild", { holdStdout: true });
    expect(workbench.servers()).toHaveLength(6 + 1 + 2 + 2);
    return workbench;
  }

  const ways: Record<string, (workbench: RunningWorkbench) => void> = {
    "the end of stdin": ({ client }) => client.child.stdin.end(),
    SIGTERM: ({ client }) => client.kill("SIGTERM"),
    SIGINT: ({ client }) => client.kill("SIGINT"),
    SIGKILL: ({ client }) => client.kill("SIGKILL"),
    SIGABRT: ({ client }) => client.kill("SIGABRT"),
  };
  const expectedExit: Record<string, readonly Exit[]> = {
    "the end of stdin": [{ code: 0, signal: null }],
    SIGTERM: [0, 143].map((code) => ({ code, signal: null })),
    SIGINT: [0, 130].map((code) => ({ code, signal: null })),
    SIGKILL: [{ code: null, signal: "SIGKILL" }],
    SIGABRT: [{ code: null, signal: "SIGABRT" }],
  };

  it.each(Object.keys(ways))(
    "by %s takes every server and its descendants along, within five seconds",
    async (way) => {
      const workbench = await startEveryKind({});
      const begin = performance.now();
      ways[way]?.(workbench);
      const exit = await workbench.client.ended(15_000);
      await waitFor(() => workbench.servers().length === 0, 10_000, "all processes to end");
      expect(performance.now() - begin).toBeLessThan(5000);
      expect(expectedExit[way]).toContainEqual(exit);
    },
  );

  it("takes along what a server that ends by itself has left in other sessions", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: chaos("--fork", "2,setsid") }));
    await openToolbox(workbench.client, "dev");
    expect(workbench.servers()).toHaveLength(3);
    await workbench.stop();
    expect(workbench.servers()).toEqual([]);
  });

  it("comes sooner when shutdownMs says so", async () => {
    const workbench = await startEveryKind({ timeouts: { shutdownMs: 200 } });
    const begin = performance.now();
    workbench.client.kill("SIGTERM");
    await workbench.client.ended(15_000);
    expect(workbench.servers()).toEqual([]);
    expect(performance.now() - begin).toBeLessThan(3000);
  });

  it("lets a well-behaved server end by itself", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await openToolbox(workbench.client, "dev");
    await workbench.stop();
    const events = workbench
      .witness("dev", "fx")
      .rows()
      .map(({ event }) => event);
    expect(events.slice(-2)).toEqual(["eof", "exit"]);
    expect(events).not.toContain("signal");
  });

  it("asks before it kills: end of stdin, then SIGTERM", async () => {
    const workbench = await startWorkbench(
      cleanup,
      dev({ fx: fixture(...STUBBORN) }, { timeouts: { shutdownMs: 500 } }),
    );
    await openToolbox(workbench.client, "dev");
    await workbench.stop();
    const last = workbench
      .witness("dev", "fx")
      .rows()
      .filter(({ event }) => event !== "message");
    expect(last.map(({ event, signal }) => signal ?? event)).toEqual(["start", "eof", "SIGTERM"]);
  });

  it("comes in the middle of a call and of a connection that is being made", async () => {
    const never = join(temporaryFolder(cleanup), "never");
    const workbench = await startWorkbench(
      cleanup,
      dev({ fx: fixture(), slow: fixture("--wait-for", never, "--ignore-eof") }),
    );
    const { client } = workbench;
    const calls = [
      useTool(client, "dev/fx/sleep", { ms: 60_000 }),
      useTool(client, "dev/slow/echo", { text: "x" }),
    ].map((call) => call.catch(() => {}));
    await waitFor(
      () =>
        workbench.witness("dev", "fx").callsOf("sleep").length === 1 &&
        workbench.witness("dev", "slow").starts === 1,
      15_000,
      "both servers",
    );
    client.kill("SIGTERM");
    await client.ended(15_000);
    await Promise.all(calls);
    expect(workbench.servers()).toEqual([]);
  });

  const endings: Record<string, (workbench: RunningWorkbench) => void> = {
    "the end of stdin": ({ client }) => client.child.stdin.end(),
    SIGTERM: ({ client }) => client.kill("SIGTERM"),
  };

  it.each(Object.keys(endings))("by %s leaves calls the time to be answered", async (how) => {
    const patient = withOptions(fixture(), { timeouts: { shutdownMs: 20_000 } });
    const workbench = await startWorkbench(cleanup, dev({ fx: patient, cold: patient }));
    const { client } = workbench;
    const slow = useTool(client, "dev/fx/sleep", { ms: 1000 });
    await waitFor(
      () => workbench.witness("dev", "fx").callsOf("sleep").length === 1,
      15_000,
      "the call to reach the server",
    );
    // This one has its server still to be started.
    const cold = useTool(client, "dev/cold/echo", { text: "in time" });
    await useTool(client, "dev/fx/echo", { text: "everything before was read" });
    endings[how]?.(workbench);
    expect(textOf(await slow)).toBe("slept 1000");
    expect(textOf(await cold)).toBe("in time");
    expect(await client.ended(15_000)).toEqual({ code: 0, signal: null });
  });

  it("answers what could not come to its end", async () => {
    const hasty = withOptions(fixture(), { timeouts: { shutdownMs: 200 } });
    const workbench = await startWorkbench(cleanup, dev({ fx: hasty }));
    const { client } = workbench;
    const endless = useTool(client, "dev/fx/sleep", { ms: 60_000 });
    await waitFor(
      () => workbench.witness("dev", "fx").callsOf("sleep").length === 1,
      15_000,
      "the call to reach the server",
    );
    client.child.stdin.end();
    expect((await endless).line).toContain("may or may not have taken effect");
    expect((await client.ended(15_000)).code).toBe(0);
  });

  it("comes at the second signal without further ado", async () => {
    const workbench = await startWorkbench(
      cleanup,
      dev({ fx: fixture(...STUBBORN) }, { timeouts: { shutdownMs: 8000 } }),
    );
    await openToolbox(workbench.client, "dev");
    workbench.client.kill("SIGTERM");
    await waitFor(
      () =>
        workbench
          .witness("dev", "fx")
          .rows()
          .some(({ event }) => event === "eof"),
      10_000,
      "the first signal to take effect",
    );
    const begin = performance.now();
    workbench.client.kill("SIGTERM");
    await workbench.client.ended(15_000);
    expect(performance.now() - begin).toBeLessThan(5000);
    await waitFor(() => workbench.servers().length === 0, 5000, "all processes to end");
  });
});

describe("a signal that does not mean the end", () => {
  it.each(["SIGUSR1", "SIGPIPE"] as const)("such as %s changes nothing", async (signal) => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await openToolbox(client, "dev");
    client.kill(signal);
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "still here" }))).toBe("still here");
    expect(client.stderr).not.toContain("Debugger");
  });
});

describe("the death of a server", () => {
  it("fails its pending calls at once, naming toolbox, server and what it said last", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture(), other: fixture() }));
    const { client } = workbench;
    const bystander = useTool(client, "dev/other/sleep", { ms: 1000 });
    const pending = Array.from({ length: 5 }, () =>
      useTool(client, "dev/fx/sleep", { ms: 60_000 }),
    );
    await waitFor(
      () => workbench.witness("dev", "fx").callsOf("sleep").length === 5,
      15_000,
      "the calls to reach the server",
    );
    const stderr = "first line\nfatal: out of cheese\nlast words";
    const crash = useTool(client, "dev/fx/crash", { stderr });
    for (const answer of await Promise.all([...pending, crash])) {
      const { message } = answer.error ?? { message: answer.line };
      for (const told of ["'fx'", "'dev'", "fatal: out of cheese", "last words"]) {
        expect(message).toContain(told);
      }
    }
    expect(textOf(await bystander)).toBe("slept 1000");
  });

  it.each(["crash", "SIGKILL", "SIGTERM"])("by %s is healed by the next call", async (how) => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const { client } = workbench;
    const { pid } = await fixtureStatus(client, "dev/fx");
    if (how === "crash") await useTool(client, "dev/fx/crash", {});
    else process.kill(pid, how as NodeJS.Signals);
    await waitFor(() => !alive(pid), 10_000, "the server to be gone");
    await waitFor(() => zombiesOf(workbench.pid).length === 0, 10_000, "it to be waited for");
    expect((await fixtureStatus(client, "dev/fx")).pid).not.toBe(pid);
    expect(workbench.witness("dev", "fx").starts).toBe(2);
  });

  it("is noticed although a descendant holds its output, which ends as well", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const { client } = workbench;
    const { pid: holder } = JSON.parse(
      textOf(await useTool(client, "dev/fx/grandchild", { holdStdout: true })),
    ) as { pid: number };
    const { pid } = await fixtureStatus(client, "dev/fx");
    const pending = useTool(client, "dev/fx/sleep", { ms: 60_000 });
    await waitFor(
      () => workbench.witness("dev", "fx").callsOf("sleep").length === 1,
      15_000,
      "the call to reach the server",
    );
    process.kill(pid, "SIGKILL");
    expect((await pending).line).toContain("'fx'");
    await waitFor(() => !alive(holder), 10_000, "the descendant to end");
    expect((await fixtureStatus(client, "dev/fx")).pid).not.toBe(pid);
  });

  it("leaves nothing of it behind, however often it happens", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture(), other: fixture() }));
    const { client } = workbench;
    await openToolbox(client, "dev");
    const before = fds(workbench.pid).length;
    for (let round = 0; round < 3; round++) {
      await useTool(client, "dev/fx/crash", {});
      await waitFor(
        async () =>
          (await useTool(client, "dev/fx/echo", { text: "well again" })).line.includes(
            "well again",
          ),
        20_000,
        "the server to be back",
      );
    }
    await waitFor(() => fds(workbench.pid).length <= before, 10_000, "the pipes to be closed");
    expect(workbench.servers()).toHaveLength(2);
    expect(zombiesOf(workbench.pid)).toEqual([]);
  });
});
