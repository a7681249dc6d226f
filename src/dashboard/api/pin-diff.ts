import { lockFileOf } from "../../config/lock-path.ts";
import { serverKey } from "../../config/server-key.ts";
import { fingerprint } from "../../files/splice.ts";
import { acceptDefinitions } from "../../pins/accept-definitions.ts";
import { type ReadDefinitions, compareServers, toolsOfOthers } from "../../pins/compare-servers.ts";
import { readLock } from "../../pins/lock-store.ts";
import { readServer } from "../../pins/read-server.ts";
import { scanServer } from "../../pins/scan/scan-server.ts";
import type { DashboardContext } from "../context.ts";
import type { PinDiff, ServerName } from "../contract.ts";
import { RequestError } from "../http/api-error.ts";
import { type Body, textIn } from "../http/body.ts";
import type { Query } from "../http/query.ts";
import { namedIn, serverAt } from "./servers.ts";
import { shownDifferences } from "./shown-differences.ts";

/** How a server differs from what was approved. It is started to find out. */
export async function diffPins(context: DashboardContext, query: Query): Promise<PinDiff> {
  const name = { toolbox: query.required("toolbox"), server: query.required("server") };
  return diffOf(name, await read(context, name));
}

/** Approves what was shown: the digest is that of the differences. */
export async function trustPins(context: DashboardContext, body: Body): Promise<PinDiff> {
  const name = namedIn(body);
  const item = body.value["name"] === undefined ? undefined : textIn(body, "name");
  const found = await read(context, name);
  const shown = diffOf(name, found);
  if (shown.digest !== textIn(body, "digest"))
    throw new RequestError(
      409,
      "conflict",
      "The server shows something else now",
      "Review it again",
    );
  await acceptDefinitions(found, serverKey(name.toolbox, name.server), item);
  context.announce("pins", "tools");
  return diffOf(name, { ...found, lock: await readLock(found.file) });
}

async function read(context: DashboardContext, name: ServerName): Promise<ReadDefinitions> {
  const { workbench } = context;
  const { file: config } = workbench.settings;
  if (config === undefined)
    throw new RequestError(404, "not-found", "A lock file needs a configuration file");
  const file = lockFileOf(config);
  const observed = await readServer(serverAt(context, name));
  return {
    file,
    lock: await readLock(file),
    observed: new Map([[serverKey(name.toolbox, name.server), observed]]),
    unconfigured: [],
    isStorable: (text) => workbench.host.redact(text) === text,
  };
}

function diffOf(name: ServerName, found: ReadDefinitions): PinDiff {
  const all = compareServers(found).flatMap(({ differences }) => differences);
  const findings = Array.from(found.observed, ([key, server]) =>
    scanServer(server, toolsOfOthers(key, found.observed, found.lock)),
  ).flat();
  return {
    ...name,
    digest: fingerprint(JSON.stringify(all)),
    differences: shownDifferences(all, name),
    findings,
  };
}
