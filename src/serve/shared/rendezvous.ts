import { createHash } from "node:crypto";
import { lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { cacheDir, configDir, ensurePrivateDir, stateDir } from "../../config/directories.ts";
import { readPrivateFile } from "../../files/read-private-file.ts";
import { realPathOf } from "../../files/real-path.ts";
import { isObject, parseJson } from "../../text/json.ts";
import { VERSION } from "../../version.ts";

/**
 * Where the clients of a configuration meet the process they share: a private folder with a record
 * that names the socket of that process and the secret with which both sides identify themselves.
 * Every version has its own, so that a client never talks to an older process by mistake.
 */
export interface Rendezvous {
  readonly folder: string;
  /** Identifies the configuration and the version. */
  readonly key: string;
  readonly record: string;
  /** Held while a process starts to listen. */
  readonly lock: string;
  /** Says that a client is starting the process, so that others wait instead of doing the same. */
  readonly marker: string;
  /** What the process writes to standard error. */
  readonly log: string;
}

export interface SharedRecord {
  readonly key: string;
  readonly pid: number;
  readonly version: string;
  /** The configuration file. */
  readonly config: string;
  readonly socket: string;
  readonly secret: string;
}

const KEY_CHARS = 16;
const KEY = /^[0-9a-f]{16}-[\w.+-]{1,64}$/;

export function sharedFolder(): string {
  return join(stateDir(), "shared");
}

/** The rendezvous for a configuration file; the folder need not exist. */
export function rendezvousOf(configFile: string, version: string = VERSION): Rendezvous {
  // Other folders of the user hold what is known about servers, and what is trusted.
  const meaning = JSON.stringify([realPathOf(configFile), configDir(), cacheDir()]);
  const config = createHash("sha256").update(meaning).digest("hex").slice(0, KEY_CHARS);
  return placeOf(`${config}-${version}`);
}

export function placeOf(key: string): Rendezvous {
  if (!KEY.test(key)) throw new Error("not the key of a shared workbench");
  const folder = sharedFolder();
  const path = (ending: string): string => join(folder, `${key}.${ending}`);
  return {
    folder,
    key,
    record: path("json"),
    lock: path("lock"),
    marker: path("starting"),
    log: path("log"),
  };
}

/** The record of a process that runs or ran; undefined if there is none that can be used. */
export function readRecord({ key, record }: Rendezvous): SharedRecord | undefined {
  const value = parseJson(readPrivateFile(record) ?? "");
  if (!isObject(value)) return undefined;
  const { pid, version, config, socket, secret } = value;
  const isValid =
    Number.isSafeInteger(pid) &&
    [version, config, socket, secret].every((text) => typeof text === "string" && text !== "");
  return isValid ? ({ ...value, key } as unknown as SharedRecord) : undefined;
}

/** All records of this user, of any configuration and version. */
export function allRecords(): SharedRecord[] {
  let names: string[];
  try {
    names = readdirSync(sharedFolder());
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const key = name.endsWith(".json") ? name.slice(0, -".json".length) : "";
    const record = KEY.test(key) ? readRecord(placeOf(key)) : undefined;
    return record === undefined ? [] : [record];
  });
}

/** Whether two keys belong to the same configuration. */
export function isSameConfig(one: string, other: string): boolean {
  return one.slice(0, KEY_CHARS) === other.slice(0, KEY_CHARS);
}

/** Whether a version is older than another, by their numbers. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string): number[] => text.split(/[-+]/)[0]?.split(".").map(Number) ?? [];
  const [a, b] = [numbers(version), numbers(than)];
  const at = a.findIndex((number, index) => number !== (b[index] ?? 0));
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}

/** The records of newer versions for the same configuration: the program may have been replaced. */
export function newerRecords({ key }: Rendezvous): SharedRecord[] {
  return allRecords().filter(
    (record) => isSameConfig(record.key, key) && isOlder(VERSION, record.version),
  );
}

/** Written by the process that listens, while it holds the lock. */
export function writeRecord(place: Rendezvous, { key: _key, ...record }: SharedRecord): void {
  ensurePrivateDir(place.folder);
  // A new file every time: the permissions of an existing one would stay.
  rmSync(place.record, { force: true });
  writeFileSync(place.record, JSON.stringify(record), { mode: 0o600, flag: "wx" });
}

/** Removes what a process leaves behind, unless another one has taken its place. */
export function removeRecord(place: Rendezvous, { socket }: SharedRecord): void {
  // A damaged record must not delete anything else.
  if (lstatSync(socket, { throwIfNoEntry: false })?.isSocket() === true)
    rmSync(socket, { force: true });
  if (readRecord(place)?.socket === socket) rmSync(place.record, { force: true });
}
