import { isDeepStrictEqual } from "node:util";

import { workbenchError } from "../errors.ts";
import { isObject, valueAt } from "../text/json.ts";
import { canonicalEntry } from "./canonical.ts";
import { ENTRY_NAME, type Launch, entryFor, isWorkbenchEntry, runsWorkbench } from "./entry.ts";
import { claimName } from "./names.ts";
import { reachesLocalWorkbench, tokenFieldNames } from "./remote-entry.ts";
import type { ClientRow, EntryShape } from "./types.ts";

/** The entry of the workbench in a client's file. */
export interface OwnEntry {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly launch: Launch;
  /** An existing entry is updated. */
  readonly isUpdate: boolean;
}

/** Whether an entry in a client's own format may be the workbench. */
export function isOwnEntry(row: ClientRow, name: string, raw: unknown): boolean {
  const { entry } = canonicalEntry(raw, { syntax: row.variables });
  return entry !== undefined && isWorkbenchEntry(name, entry);
}

/**
 * The names of the entries that may be changed: they start the workbench, or connect to one. Behind
 * the URL of another machine there may be anything, so such an entry must be one that we wrote.
 */
export function ownNames(
  row: ClientRow,
  servers: unknown,
  recorded: readonly string[],
): readonly string[] {
  if (!isObject(servers)) return [];
  return Object.keys(servers).filter((name) => {
    const { entry } = canonicalEntry(servers[name], { syntax: row.variables });
    if (entry === undefined || !isWorkbenchEntry(name, entry)) return false;
    return runsWorkbench(entry) || recorded.includes(name) || reachesLocalWorkbench(name, entry);
  });
}

/**
 * Our entry for a client. Without a name, the existing entry is updated, so that a client does not
 * load the workbench twice; with a name, entries for different views can be side by side.
 */
export function ownEntry(
  row: ClientRow,
  servers: unknown,
  launch: Launch,
  {
    wanted,
    recorded,
  }: { readonly wanted: string | undefined; readonly recorded: readonly string[] },
): OwnEntry {
  const own = ownNames(row, servers, recorded);
  const valueOf = (name: string): Record<string, unknown> =>
    merged(row.entry, valueAt(servers, [name]), entryFor(row, launch, name));
  const known =
    wanted === undefined
      ? nameToUpdate(row, own, (name) => isDeepStrictEqual(valueAt(servers, [name]), valueOf(name)))
      : own.find((name) => name === wanted);
  if (wanted !== undefined && known === undefined && valueAt(servers, [wanted]) !== undefined) {
    const reason = `${row.label} has a different server with the name '${wanted}'`;
    throw workbenchError("USAGE", { reason }, "Choose another name with --name");
  }
  const name = known ?? wanted ?? freeName(servers);
  return { name, value: valueOf(name), launch, isUpdate: known !== undefined };
}

function nameToUpdate(
  row: ClientRow,
  own: readonly string[],
  isCurrent: (name: string) => boolean,
): string | undefined {
  if (own.length < 2) return own[0];
  const name = own.find(isCurrent) ?? own.find((other) => other === ENTRY_NAME);
  if (name !== undefined) return name;
  const reason = `${row.label} has several entries for the workbench: ${own.join(", ")}`;
  throw workbenchError("USAGE", { reason }, "Choose the one to change with --name");
}

function freeName(servers: unknown): string {
  const taken = isObject(servers) ? Object.keys(servers).map((name) => name.toLowerCase()) : [];
  return claimName([ENTRY_NAME, `mcp-${ENTRY_NAME}`], new Set(taken));
}

/** Keeps what users added to our entry, such as variables, but no token that is no longer used. */
function merged(
  shape: EntryShape,
  existing: unknown,
  entry: Record<string, unknown>,
): Record<string, unknown> {
  if (!isObject(existing)) return entry;
  const both = (field: string): boolean => field in existing && field in entry;
  if (both("command") || both("cmd")) return { ...existing, ...entry };
  if (shape.url === undefined || !both(shape.url)) return entry;
  const stale = new Set(tokenFieldNames(shape));
  const kept = Object.entries(existing).filter(([field]) => !stale.has(field));
  return { ...Object.fromEntries(kept), ...entry };
}
