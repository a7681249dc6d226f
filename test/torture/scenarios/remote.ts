/** Remote servers that fail in every way a network can. */
import { expect } from "vitest";
import { failureOf, openToolbox, resultOf, textOf, useTool } from "../../support/calls.ts";
import { certificateAuthority } from "../../support/certificates.ts";
import { type ChaosHttp, type SeenRequest, startChaosHttp } from "../../support/chaos-http.ts";
import { freePort } from "../../support/free-port.ts";
import { temporaryFolder } from "../../support/workbench.ts";
import { expectWithin } from "../measured.ts";
import { serverStatusAtOnce } from "../status.ts";
import { type HttpRun, type Rig, type Run, TIMEOUTS } from "../rig.ts";
import type { Scenario } from "../scenario.ts";

/** The answer to a call, the expected text of the failure, and its name in the status. */
const FAULTS: readonly (readonly [
  mode: string,
  expected: RegExp,
  code: string,
  settings?: object,
])[] = [
  ["401", /401|unauthori[sz]ed/i, "unauthorized"],
  ["403", /403|forbidden/i, "forbidden"],
  ["429", /429.*\b1 s/i, "rateLimited", { retryAfter: 1 }],
  ["503", /503.*\b1 s/i, "unavailable", { retryAfter: 1 }],
  ["500", /500/, "serverError"],
  ["502", /502/, "serverError"],
  ["html", /html/i, "wrongContent"],
  ["sse-truncate", /ended|closed|cut|without/i, "truncated"],
  ["half-open", /no answer/i, "CALL_TIMEOUT"],
  ["headers-then-silence", /no answer/i, "CALL_TIMEOUT"],
];

async function remoteFaults(rig: Rig): Promise<void> {
  const remote = await startChaosHttp(rig.disposables);
  const { key, cert } = certificateAuthority(temporaryFolder(rig.disposables)).issue(
    "unknown-issuer",
    "IP:127.0.0.1",
  );
  const selfSigned = await startChaosHttp(rig.disposables, "--tls", key, cert);
  const run = await rig.startHttp({
    remote: {
      url: `${remote.origin}/mcp`,
      headers: { Authorization: "Bearer own-token" },
      timeouts: { callMs: rig.timeouts.callMs },
    },
    refused: { url: `http://127.0.0.1:${await freePort()}/mcp` },
    unknown: { url: "http://nonexistent.invalid/mcp" },
    untrusted: { url: `${selfSigned.origin}/mcp` },
  });
  const failures = new Map<string, string>();
  const failure = async (server: string): Promise<string> => {
    const begin = performance.now();
    const reason = failureOf(await useTool(run.client, `dev/${server}/echo`, { text: "x" }));
    expectWithin(rig, begin, TIMEOUTS.callMs + 1000);
    expect(reason).toContain(`'${server}'`);
    return reason.replaceAll(server, "");
  };

  const opened = await openToolbox(run.client, "dev");
  expect(opened.servers_connected).toBe(1);
  for (const server of ["refused", "unknown", "untrusted"])
    failures.set(server, await failure(server));
  expect(failures.get("refused")).toMatch(/ECONNREFUSED|refused/i);
  expect(failures.get("unknown")).toMatch(/ENOTFOUND|EAI_AGAIN|name/i);
  expect(failures.get("untrusted")).toMatch(/certificate/i);
  expect(await codeOf(run, "refused")).toBe("refused");
  expect(await codeOf(run, "unknown")).toBe("dns");
  expect(await codeOf(run, "untrusted")).toBe("tlsUntrusted");

  for (const [mode, expected, code, settings] of FAULTS) {
    await remote.set({ reset: true, mode, ...settings });
    failures.set(mode, await failure("remote"));
    expect(failures.get(mode), mode).toMatch(expected);
    expect(await codeOf(run, "remote")).toBe(code);
    const { requests } = await remote.seen();
    onlyOwnHeaders(requests, run);
    const posted = requests.filter(({ method }) => method === "tools/call");
    expect(posted.length, `${mode}: sent again`).toBe(1);
    await remote.set({ mode: "ok" });
    await recovers(rig, run, mode);
  }
  await lostSession(remote, run);
  await longOutage(rig, run, remote);
  // Two ways of being silent may be reported in the same words.
  failures.delete("headers-then-silence");
  expect(new Set(failures.values()).size).toBe(failures.size);
}

async function codeOf(run: Run, server: string): Promise<string | null> {
  return (await serverStatusAtOnce(run, `dev/${server}`)).lastErrorCode;
}

/** However often it failed: when the server is back, it is used. */
async function longOutage(rig: Rig, run: Run, remote: ChaosHttp): Promise<void> {
  await remote.stop();
  const often = rig.measured ? 5 : 3;
  const triedOften = async (): Promise<boolean> => {
    const failure = failureOf(await useTool(run.client, "dev/remote/echo", { text: "x" }));
    return Number(/failed (\d+) times/.exec(failure)?.[1]) >= often;
  };
  await rig.wait(triedOften, 15_000, "several failures in a row");
  await startChaosHttp(rig.disposables, "--port", String(remote.port));
  // Less than five seconds, and what a busy machine adds.
  await recovers(rig, run, "a long outage", 6000);
}

async function recovers(rig: Rig, run: Run, mode: string, withinMs = 5000): Promise<void> {
  const works = async (): Promise<boolean> =>
    resultOf(await useTool(run.client, "dev/remote/echo", { text: "x" })).isError !== true;
  await rig.wait(works, withinMs, `the server to work again after ${mode}`);
}

async function lostSession(remote: ChaosHttp, run: HttpRun): Promise<void> {
  await remote.set({ reset: true, forgetSessions: true });
  const answer = await useTool(run.client, "dev/remote/echo", { text: "again" });
  expect(textOf(answer)).toBe("again");
  const { requests, executed } = await remote.seen();
  onlyOwnHeaders(requests, run);
  expect(requests.filter(({ method }) => method === "initialize")).toHaveLength(1);
  expect(executed["echo"]).toBe(1);
}

/** The server gets the headers of its entry, and nothing that a client sends to the program. */
function onlyOwnHeaders(requests: readonly SeenRequest[], { token }: HttpRun): void {
  expect(requests.length).toBeGreaterThan(0);
  for (const { headers } of requests) {
    expect(headers["authorization"]).toBe("Bearer own-token");
    expect(JSON.stringify(headers)).not.toContain(token);
  }
}

export const remote: readonly Scenario[] = [
  {
    id: "S-27",
    title:
      "each way in which a remote server can fail is named, its calls are not repeated, and it is used again when it works",
    naive: /program ended/,
    play: remoteFaults,
  },
];
