import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";

import { readConfigText } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import type { ClientHandlers } from "../../embed/embedded-client.ts";
import { SharedClient } from "../../embed/shared-client.ts";
import { connectTo } from "../../serve/shared/connect.ts";
import type { Hello } from "../../serve/shared/hello.ts";
import { launchOf } from "../../serve/shared/launch.ts";
import { hashOf } from "../../serve/shared/proof.ts";
import { readRecord, rendezvousOf } from "../../serve/shared/rendezvous.ts";
import type { Context } from "../core/command.ts";

export type { SharedClient };

/** Reading the tools of servers that have to be started takes a while. */
const DISCOVER_MS = 60_000;

type Surroundings = Pick<Context, "env" | "cwd">;

/** A client of the shared workbench for this configuration; undefined if none is running. */
export async function sharedClient(
  { env, cwd }: Surroundings,
  { file }: WorkbenchSettings,
  handlers: ClientHandlers,
): Promise<SharedClient | undefined> {
  return ask(file, (text) => ({
    op: "session",
    client: randomUUID(),
    epoch: 0,
    principal: "local",
    launch: launchOf(text, cwd, env),
    config: hashOf(text),
  })).then((socket) => socket && new SharedClient(socket, handlers));
}

/** Lets a running shared workbench read the tools of servers of which nothing is known. */
export async function discoverInShared({ file }: WorkbenchSettings): Promise<void> {
  (await ask(file, () => ({ op: "discover" }), DISCOVER_MS))?.destroy();
}

async function ask(
  file: string | undefined,
  helloFor: (configText: string) => Hello,
  answerMs?: number,
): Promise<Socket | undefined> {
  const record = file === undefined ? undefined : readRecord(rendezvousOf(file));
  if (file === undefined || record === undefined) return undefined;
  // It may have ended, or may be unable to serve this environment.
  return connectTo(record, helloFor(readConfigText(file)), answerMs).catch(() => undefined);
}
