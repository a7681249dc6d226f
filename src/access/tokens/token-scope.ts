import type { WorkbenchSettings } from "../../config/types.ts";
import { workbenchError } from "../../errors.ts";
import { choices } from "../../text/choices.ts";

/** What a token may use. */
export interface TokenScope {
  readonly toolboxes: readonly string[];
  /** As `toolbox/server`. */
  readonly servers: readonly string[];
}

/** Throws if one of the names is not written as `toolbox/server`. */
export function checkServerNames(servers: readonly string[]): void {
  for (const server of servers)
    if (!/^[^/]+\/[^/]+$/.test(server))
      throw workbenchError("USAGE", { reason: `--server '${server}' is not TOOLBOX/SERVER` });
}

/** Refuses names that are not configured, because they are nearly always typos. */
export function checkTokenScope(settings: WorkbenchSettings, scope: TokenScope): void {
  const known = [...settings.toolboxes.values()];
  const names = known.flatMap(({ name, servers: own }) =>
    Array.from(own.keys(), (server) => `${name}/${server}`),
  );
  for (const name of scope.toolboxes) check("toolbox", name, settings.toolboxes.keys());
  for (const name of scope.servers) check("server", name, names);
}

function check(kind: "toolbox" | "server", name: string, known: Iterable<string>): void {
  const names = [...known];
  if (names.includes(name)) return;
  const reason = `There is no ${kind} '${name}' in the configuration`;
  throw workbenchError("USAGE", { reason }, choices(name, names));
}
