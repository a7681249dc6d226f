import { isObject, parseJson } from "../text/json.ts";
import type { PackageSource } from "./package-source.ts";

/** The approved definitions of all servers: what `workbench-lock.json` contains. */
export interface LockFile {
  /** By `toolbox/server`. */
  readonly servers: ReadonlyMap<string, LockedServer>;
}

/** What the user has approved of one server. */
export interface LockedServer {
  /** The package that the server was started from, if a package manager starts it. */
  readonly source?: PackageSource | undefined;
  /** The hash of its instructions, if it had any. */
  readonly instructions?: string | undefined;
  readonly items: Readonly<Record<LockedList, LockedItems>>;
}

export const LOCKED_LISTS = ["tools", "prompts", "resourceTemplates"] as const;
export type LockedList = (typeof LOCKED_LISTS)[number];

/** By name, or by URI template. */
export type LockedItems = ReadonlyMap<string, ItemHashes>;

export interface ItemHashes {
  /** Of everything that is pinned. */
  readonly hash: string;
  /** Without what is cosmetic; only written if it differs. */
  readonly essential: string;
}

const VERSION = 1;
const HASH = /^sha256-[A-Za-z0-9+/]{43}=$/;

/** The text of a lock file; the same for the same state, one line for each item. */
export function formatLock({ servers }: LockFile): string {
  const entries = sortedEntries(servers).map(
    ([key, server]) => `    ${JSON.stringify(key)}: ${formatServer(server)}`,
  );
  const all = entries.length === 0 ? "{}" : `{\n${entries.join(",\n")}\n  }`;
  return `{\n  "lockfileVersion": ${VERSION},\n  "servers": ${all}\n}\n`;
}

function formatServer({ source, instructions, items }: LockedServer): string {
  const members: string[] = [];
  const indent = "      ";
  if (source !== undefined) members.push(`${indent}"source": ${spaced(source)}`);
  if (instructions !== undefined) members.push(`${indent}"instructions": "${instructions}"`);
  for (const list of LOCKED_LISTS) {
    const lines = sortedEntries(items[list]).map(
      ([name, hashes]) => `${indent}  ${JSON.stringify(name)}: ${spaced(shortened(hashes))}`,
    );
    if (lines.length > 0) members.push(`${indent}"${list}": {\n${lines.join(",\n")}\n${indent}}`);
  }
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n    }`;
}

/** Most definitions have nothing cosmetic. */
function shortened({ hash, essential }: ItemHashes): object {
  return essential === hash ? { hash } : { hash, essential };
}

function spaced(object: object): string {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  const texts = members.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{ ${texts.join(", ")} }`;
}

/** By code units, so that the order does not depend on the user's language. */
function sortedEntries<T>(map: ReadonlyMap<string, T>): (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** The content of a lock file; throws with the reason if anything in it is not as expected. */
export function parseLock(text: string): LockFile {
  const value = parseJson(text);
  if (!isObject(value)) throw new Error("it is not a JSON object");
  const { lockfileVersion, servers, ...others } = value;
  if (lockfileVersion !== VERSION)
    throw new Error(
      `its lockfileVersion is ${JSON.stringify(lockfileVersion) ?? "missing"}; this version reads ${VERSION}`,
    );
  refuseOthers(others, "the file");
  return { servers: mapOf(servers, "servers", serverOf) };
}

function serverOf(value: unknown, at: string): LockedServer {
  if (!isObject(value)) throw damaged(at);
  const { source, instructions, tools, prompts, resourceTemplates, ...others } = value;
  refuseOthers(others, at);
  const itemsOf = (list: unknown, name: string): LockedItems =>
    list === undefined ? new Map() : mapOf(list, `${at}.${name}`, hashesOf);
  return {
    ...(source !== undefined && { source: sourceOf(source, `${at}.source`) }),
    ...(instructions !== undefined && { instructions: hashOf(instructions, `${at}.instructions`) }),
    items: {
      tools: itemsOf(tools, "tools"),
      prompts: itemsOf(prompts, "prompts"),
      resourceTemplates: itemsOf(resourceTemplates, "resourceTemplates"),
    },
  };
}

function sourceOf(value: unknown, at: string): PackageSource {
  if (!isObject(value)) throw damaged(at);
  const { kind, name, version, pinned, ...others } = value;
  refuseOthers(others, at);
  const isVersion = version === undefined || typeof version === "string";
  const isKind = kind === "npm" || kind === "pypi";
  if (!isKind || typeof name !== "string" || !isVersion || typeof pinned !== "boolean")
    throw damaged(at);
  return { kind, name, ...(version !== undefined && { version }), pinned };
}

function hashesOf(value: unknown, at: string): ItemHashes {
  if (!isObject(value)) throw damaged(at);
  const { hash, essential, ...others } = value;
  refuseOthers(others, at);
  const full = hashOf(hash, `${at}.hash`);
  return {
    hash: full,
    essential: essential === undefined ? full : hashOf(essential, `${at}.essential`),
  };
}

function hashOf(value: unknown, at: string): string {
  if (typeof value !== "string" || !HASH.test(value)) throw damaged(at);
  return value;
}

function mapOf<T>(
  value: unknown,
  at: string,
  valueOf: (value: unknown, at: string) => T,
): ReadonlyMap<string, T> {
  if (!isObject(value)) throw damaged(at);
  return new Map(
    Object.entries(value).map(([key, inner]) => [key, valueOf(inner, `${at}.${key}`)]),
  );
}

/** Unknown members may come from a later version, whose meaning this one would ignore. */
function refuseOthers(others: object, at: string): void {
  const [first] = Object.keys(others);
  if (first !== undefined) throw new Error(`${at} has an unknown member '${first}'`);
}

function damaged(at: string): Error {
  return new Error(`${at} is not valid`);
}
