/** Secrets that are given to the program and must not leak. */
import { join } from "node:path";
import { expect } from "vitest";
import { failureOf, openToolbox, useTool } from "../../support/calls.ts";
import { MARKER_VARIABLE } from "../../support/proc.ts";
import { type Servers, withOptions } from "../../support/servers.ts";
import { temporaryFolder } from "../../support/workbench.ts";
import { chaos } from "../chaos.ts";
import type { HttpRun, Rig, Run, RunOptions } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { leaks, newSecret, writtenFiles } from "../secrets.ts";
import { statusText } from "../status.ts";

const INHERITED = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
const DECLARED = ["API_KEY", MARKER_VARIABLE, "WITNESS"];

async function secrets(rig: Rig): Promise<void> {
  await environment(rig);
  await failures(rig, (servers, options) => rig.start(servers, options));
  await failures(rig, (servers, options) => rig.startHttp(servers, options));
}

type Start = (servers: Servers, options: RunOptions) => Promise<Run | HttpRun>;

/** A server sees what it needs to run and what its entry declares, and nothing else. */
async function environment(rig: Rig): Promise<void> {
  const given = { GITHUB_TOKEN: newSecret(), NODE_OPTIONS: "--no-warnings" };
  const run = await rig.start({ plain: chaos("--dump-env") }, { env: given });
  await openToolbox(run.client, "dev");
  const env = run.witness("dev", "plain").rows()[0]?.env ?? {};
  const allowed = [...INHERITED, ...DECLARED];
  expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([]);
  expect(env["API_KEY"]).toBe(run.secret);
}

/** Whatever fails, no message about it contains a secret. */
async function failures(rig: Rig, start: Start): Promise<void> {
  const log = join(temporaryFolder(rig.disposables), "workbench.log");
  const given = {
    SECRET_FOR_ENV: newSecret(),
    TOKEN_FOR_ARGS: newSecret(),
    HEADER_TOKEN: newSecret(),
    QUERY_API_KEY: newSecret(),
  };
  const inArguments = newSecret();
  const leaky = withOptions(chaos("--leak", "OWN_SECRET", "--die", "before-init"), {
    env: { OWN_SECRET: "${SECRET_FOR_ENV}" },
  });
  const unreachable = "http://127.0.0.1:9/mcp?api_key=${QUERY_API_KEY}";
  const run = await start(
    {
      plain: chaos(),
      leaky,
      "leaky-but-alive": withOptions(chaos("--leak", "OWN_SECRET", "--hang", "call"), {
        // Only the call that never gets an answer has to keep to this time.
        timeouts: { callMs: 1000 },
        env: { OWN_SECRET: "${SECRET_FOR_ENV}" },
      }),
      named: chaos("--name", "${TOKEN_FOR_ARGS}", "--die", "before-init"),
      missing: { command: "/nowhere/${TOKEN_FOR_ARGS}" },
      remote: { url: unreachable, headers: { Authorization: "Bearer ${HEADER_TOKEN}" } },
    },
    { log: { level: "debug", file: log }, env: given },
  );

  await openToolbox(run.client, "dev");
  for (const server of ["leaky", "named", "missing", "remote"])
    expect(failureOf(await useTool(run.client, `dev/${server}/x`, { inArguments }))).not.toBe("");
  await useTool(run.client, "dev/plain/status", { inArguments });
  await useTool(run.client, "dev/plain/no-such-tool", { inArguments });
  await useTool(run.client, "dev/leaky-but-alive/fault", { inArguments });

  const { stderr, lines } = run.process;
  const sinks = new Map([
    ["stderr", stderr],
    ["stdout", lines.join("\n")],
    ["status", await statusText(run)],
    ["status over HTTP", await statusOverHttp(run)],
    ...writtenFiles(run),
    ...writtenFiles({ ...run, dir: join(log, "..") }),
  ]);
  expect(sinks.get("status")).toContain("my credentials are");
  expect(stderr).toContain("INFO");
  const tokens = "token" in run ? [run.token] : [];
  for (const secret of [...Object.values(given), ...tokens, inArguments, run.secret])
    expect(leaks(secret, sinks)).toEqual([]);
}

async function statusOverHttp(run: Run | HttpRun): Promise<string> {
  if (!("token" in run)) return "";
  const headers = { authorization: `Bearer ${run.token}` };
  return (await fetch(`${run.url}/api/status`, { headers })).text();
}

export const secrecy: readonly Scenario[] = [
  {
    id: "S-25",
    title: "secrets in variables, arguments, headers and addresses appear nowhere, whatever fails",
    naive: /XDG_CONFIG_HOME/,
    play: secrets,
  },
];
