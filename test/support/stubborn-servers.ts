/** A toolbox with every kind of server that is hard to end, and the ways a workbench can end. */
import { expect } from "vitest";
import { chaos, STUBBORN } from "../torture/chaos.ts";
import { openToolbox, useTool } from "./calls.ts";
import type { Disposables } from "./disposables.ts";
import type { Exit, Params } from "./raw-client.ts";
import { dev, fixture, type ServerEntry, wrappedFixture } from "./servers.ts";
import { type RunningWorkbench, startWorkbench } from "./workbench.ts";

const EVERY_KIND: Readonly<Record<string, ServerEntry>> = {
  good: fixture(),
  deaf: fixture("--ignore-eof"),
  stubborn: fixture(...STUBBORN),
  wrapped: wrappedFixture(...STUBBORN),
  parent: fixture(),
  roaming: chaos(...STUBBORN, "--fork", "2,setsid"),
};

/** Starts a workbench with all of them, and with descendants below three of them. */
export async function startEveryKind(
  disposables: Disposables,
  options: Params,
): Promise<RunningWorkbench> {
  const workbench = await startWorkbench(disposables, dev(EVERY_KIND, options));
  expect((await openToolbox(workbench.client, "dev")).servers_connected).toBe(6);
  // One grandchild below a plain server, one below a wrapped server, two with their own sessions.
  await useTool(workbench.client, "dev/parent/grandchild", {});
  await useTool(workbench.client, "dev/wrapped/grandchild", { holdStdout: true });
  expect(workbench.servers()).toHaveLength(6 + 1 + 2 + 2);
  return workbench;
}

interface Ending {
  readonly end: (workbench: RunningWorkbench) => void;
  readonly exits: readonly Exit[];
}

const exitCodes = (...codes: readonly number[]): Exit[] =>
  codes.map((code) => ({ code, signal: null }));

const bySignal = (signal: NodeJS.Signals, exits: readonly Exit[]): [string, Ending] => [
  signal,
  { end: ({ client }) => client.kill(signal), exits },
];

/** Each with its name first, for titles. */
export const ENDINGS: readonly [string, Ending][] = [
  ["the end of stdin", { end: ({ client }) => client.child.stdin.end(), exits: exitCodes(0) }],
  bySignal("SIGTERM", exitCodes(0, 143)),
  bySignal("SIGINT", exitCodes(0, 130)),
  bySignal("SIGKILL", [{ code: null, signal: "SIGKILL" }]),
  bySignal("SIGABRT", [{ code: null, signal: "SIGABRT" }]),
];
