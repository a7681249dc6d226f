/**
 * What replicas share: tokens, approvals, rate limits and sign-ins. In the full suite because it starts Redis and several
 * programs; the rules by which copies are merged have unit tests.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

import { textOrError, useToolParams } from "../support/calls.ts";
import { type CliRun, runCli } from "../support/cli.ts";
import { ClusterRig, HAS_CLUSTER, type Replica } from "../support/cluster-rig.ts";
import { perBlock } from "../support/disposables.ts";
import { HttpClient, type Message, messagesIn } from "../support/http-client.ts";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../support/oauth/authorization-server.ts";
import { Browser } from "../support/oauth/browser.ts";
import { mustLogIn } from "../support/oauth/login.ts";
import { startProtectedServer } from "../support/oauth/protected-server.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { fixture } from "../support/servers.ts";

const HOUR_MS = 3_600_000;

describe.skipIf(!HAS_CLUSTER)("two replicas", () => {
  const disposables = perBlock();
  let rig: ClusterRig;
  let authorization: AuthorizationServer;

  beforeAll(async () => {
    authorization = await startAuthorizationServer(disposables);
    const api = await startProtectedServer(disposables, { authorization });
    rig = await ClusterRig.start(
      disposables,
      (publicUrl) => ({
        credentials: "file",
        http: { publicUrl },
        policy: { rules: [{ tools: ["api/whoami"], action: "ask" }] },
        limits: { rate: [{ tools: ["a/*"], calls: 4, perMs: HOUR_MS }] },
        toolboxes: {
          dev: {
            description: "Test tools.",
            mcpServers: {
              a: fixture(),
              api: { url: api.url },
              own: { url: api.url, credentials: "perUser" },
            },
          },
        },
      }),
      { replicas: 2 },
    );
    await mustLogIn(replica(0), "dev/api");
    await mustLogIn(replica(0), "dev/own");
  });

  const replica = (index: number): Replica => {
    const found = rig.replicas[index];
    if (found === undefined) throw new Error(`there is no replica ${index}`);
    return found;
  };
  const run = (index: number, ...args: string[]): Promise<CliRun> => {
    const { home, dir, env, configFile } = replica(index);
    return runCli({ home, cwd: dir, env }, [...args, "--config", configFile]);
  };
  const mustRun = async (index: number, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(index, ...args);
    expect(code, stderr).toBe(0);
    return stdout.trim();
  };
  const clientOf = (index: number, token = rig.token): HttpClient =>
    new HttpClient(`${replica(index).url}/mcp`, token);
  const statusOf = async (index: number, token: string): Promise<number> =>
    (await clientOf(index, token).modern("tools/list").head()).status;
  const call = async (index: number, path: string, args = {}): Promise<Message | undefined> => {
    const { text } = await clientOf(index).modern("tools/call", useToolParams(path, args)).done();
    return messagesIn(text).at(-1);
  };
  const stateOf = (index: number, file: string): string =>
    readFileSync(join(replica(index).env["XDG_STATE_HOME"] ?? "", "mcp-workbench", file), "utf8");

  it("let a user sign in through any of them, and use the sign-in", async () => {
    const token = await mustRun(0, "token", "create", "ada");
    const isKnown = async (): Promise<boolean> => (await statusOf(1, token)) === 200;
    await waitFor(isKnown, GENEROUS_MS, "the token to be known to the other replica");
    const whoami = async (index: number): Promise<string> => {
      const params = useToolParams("dev/own/whoami", {});
      const { text } = await clientOf(index, token).modern("tools/call", params).done();
      return textOrError(messagesIn(text).at(-1));
    };
    const [link = ""] = /http:\/\/\S+\/login\/\S+/.exec(await whoami(0)) ?? [];
    expect(link.startsWith(`${rig.url}/login/`)).toBe(true);
    // Whichever replica the load balancer chooses for each page.
    expect((await new Browser({ user: "ada" }).open(link)).status).toBe(200);
    const isSignedIn = async (index: number): Promise<boolean> => (await whoami(index)) === "ada";
    await waitFor(() => isSignedIn(0), GENEROUS_MS, "the sign-in at the first replica");
    await waitFor(() => isSignedIn(1), GENEROUS_MS, "the sign-in at the other replica");
    await mustRun(1, "token", "revoke", "ada");
    const isForgotten = async (): Promise<boolean> =>
      !(await mustRun(0, "auth", "--json")).includes('"ada"');
    await waitFor(isForgotten, GENEROUS_MS, "the sign-in to end at the other replica");
  });

  it("accept a token that was created on one of them, until it is revoked on the other", async () => {
    const token = await mustRun(0, "token", "create", "ci");
    const isKnown = async (): Promise<boolean> => (await statusOf(1, token)) === 200;
    await waitFor(isKnown, GENEROUS_MS, "the token to be known to the other replica");
    const session = clientOf(0, token);
    await session.initialize();
    const stream = session.listen();
    expect((await stream.head()).status).toBe(200);
    await mustRun(1, "token", "revoke", "ci");
    await stream.done();
    const isRefused = async (index: number): Promise<boolean> =>
      (await statusOf(index, token)) === 401;
    for (const index of [0, 1])
      await waitFor(() => isRefused(index), GENEROUS_MS, "the revoked token to be refused");
  });

  it("ask on one, and take the answer from the other, for always if the user wants that", async () => {
    const asked = textOrError(await call(0, "dev/api/whoami"));
    const id = /Approval (\w{6}) is waiting/.exec(asked)?.[1] ?? asked;
    const isListed = async (): Promise<boolean> =>
      (await mustRun(1, "approvals", "--json")).includes(id);
    await waitFor(isListed, GENEROUS_MS, "the question to be known to the other replica");
    const listed = await mustRun(1, "approvals", "--json");
    expect(JSON.parse(listed)).toMatchObject({ approvals: [{ id, server: "api" }] });
    await mustRun(1, "approve", id, "--yes");
    expect(textOrError(await call(0, "dev/api/whoami"))).not.toContain("Approval");
    const next = textOrError(await call(1, "dev/api/whoami"));
    const second = /Approval (\w{6}) is waiting/.exec(next)?.[1] ?? next;
    expect(second).not.toBe(id);
    await mustRun(0, "approve", second, "--always", "--yes");
    for (const index of [0, 1, 1, 0])
      expect(textOrError(await call(index, "dev/api/whoami"))).not.toContain("Approval");
    await mustRun(1, "deny", second, "--yes");
    expect(textOrError(await call(0, "dev/api/whoami"))).toContain("is waiting");
  });

  it("let a call wait while someone watches on the other one", async () => {
    const { home, dir, env, configFile } = replica(1);
    const watching = { end: () => {} };
    const watch = runCli(
      { home, cwd: dir, env },
      ["approvals", "--watch", "--json", "--config", configFile],
      { running: (child) => (watching.end = () => void child.kill("SIGINT")) },
    );
    await waitFor(
      () => stateOf(0, "approvals.json").includes(`"pid"`),
      GENEROUS_MS,
      "the watcher to be known",
    );
    const waiting = call(0, "dev/api/whoami", { unused: 1 });
    const pending = async (): Promise<string | undefined> => {
      const { approvals } = JSON.parse(await mustRun(1, "approvals", "--json")) as {
        approvals: { id: string; arguments: string[] }[];
      };
      return approvals.find((one) => one.arguments.length > 0)?.id;
    };
    const id = await waitFor(pending, GENEROUS_MS, "the question");
    await mustRun(1, "approve", id, "--yes");
    expect(textOrError(await waiting)).not.toContain("Approval");
    watching.end();
    expect((await watch).code).toBe(0);
  });

  it("refresh the token of a remote server once", async () => {
    for (const index of [0, 1])
      expect(textOrError(await call(index, "dev/api/count", { id: `before-${index}` }))).toContain(
        "count",
      );
    authorization.expireAccessTokens();
    const refreshes = authorization.record.count("refresh_token");
    const ids = ["a", "b", "c", "d"];
    const calls = ids.flatMap((id) =>
      [0, 1].map((at) => call(at, "dev/api/count", { id: id + at })),
    );
    for (const answer of await Promise.all(calls)) expect(textOrError(answer)).toMatch(/^count /);
    expect(authorization.record.count("refresh_token")).toBe(refreshes + 1);
  });

  it("count calls together", async () => {
    const answers = [];
    for (const index of [0, 1, 0, 1, 0, 1])
      answers.push(textOrError(await call(index, "dev/a/echo", { text: "x" })).includes("limit"));
    expect(answers).toEqual([false, false, false, false, true, true]);
  });

  it("approve the same definitions", async () => {
    const lockOf = (index: number): string => join(replica(index).dir, "workbench-lock.json");
    await mustRun(0, "lock");
    const isSame = (): boolean =>
      existsSync(lockOf(1)) && readFileSync(lockOf(1), "utf8") === readFileSync(lockOf(0), "utf8");
    await waitFor(isSame, GENEROUS_MS, "the lock file of the other replica");
    expect(await mustRun(1, "lock", "--check")).not.toContain("changed");
  });

  it("go on without Redis, and lose nothing when it is back, even if it has lost everything", async () => {
    const [kept, ended] = [
      await mustRun(0, "token", "create", "kept"),
      await mustRun(0, "token", "create", "ended"),
    ];
    for (const token of [kept, ended])
      await waitFor(
        async () => (await statusOf(1, token)) === 200,
        GENEROUS_MS,
        "the token to be known",
      );
    await rig.redis.stop();
    const isDegraded = async (index: number): Promise<boolean> => {
      const answer = await fetch(`${replica(index).url}/readyz`);
      return (await answer.text()).includes("degraded");
    };
    for (const index of [0, 1])
      await waitFor(() => isDegraded(index), GENEROUS_MS, "Redis to be missed");
    expect((await run(0, "token", "revoke", "ended")).stderr).toContain("Redis is not reachable");
    expect(await statusOf(0, ended)).toBe(401);
    expect(await statusOf(1, ended)).toBe(200);
    expect([await statusOf(0, kept), await statusOf(1, kept)]).toEqual([200, 200]);
    const alone = await mustRun(1, "token", "create", "alone");
    // Each of the two replicas allows its half of four calls.
    const limited: boolean[] = [];
    for (const _ of [1, 2, 3])
      limited.push(textOrError(await call(0, "dev/a/echo", { text: "x" })).includes("limit"));
    expect(limited).toEqual([false, false, true]);
    await rig.redis.start();
    await waitFor(async () => (await statusOf(1, ended)) === 401, GENEROUS_MS, "the revocation");
    await waitFor(async () => (await statusOf(0, alone)) === 200, GENEROUS_MS, "the new token");
    expect([await statusOf(0, kept), await statusOf(1, kept)]).toEqual([200, 200]);
    expect(await statusOf(0, ended)).toBe(401);
  });
});
