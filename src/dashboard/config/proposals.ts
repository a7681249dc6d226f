import { randomInt } from "node:crypto";
import { join } from "node:path";

import { type StateFormat, readStateFile, updateStateFile } from "../../access/state-file.ts";
import { type Machine, stateDir } from "../../config/directories.ts";
import { workbenchError } from "../../errors.ts";
import { isObject, parseJson } from "../../text/json.ts";

/**
 * A change to a configuration that was made in the dashboard and waits for the user to confirm it in the terminal,
 * because it would start or reach something new.
 */
export interface StoredProposal {
  readonly id: string;
  readonly file: string;
  /** The fingerprint of the text that it changes. */
  readonly before: string;
  readonly after: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const MAX_AGE_MS = 3_600_000;
const MAX_PROPOSALS = 10;
/** Without characters that are easily confused. */
const ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const ID_LENGTH = 6;

export function proposalsFile(machine?: Machine): string {
  return join(stateDir(machine), "dashboard-proposals.json");
}

/** The changes that wait, the oldest first. */
export function readProposals(file: string, now = Date.now()): readonly StoredProposal[] {
  return readStateFile(file, FORMAT).filter(({ expiresAt }) => expiresAt > now);
}

/** Stores a change; the same change is stored once. */
export function addProposal(
  file: string,
  added: Pick<StoredProposal, "file" | "before" | "after">,
  now = Date.now(),
): Promise<StoredProposal> {
  return updateStateFile(file, FORMAT, (stored) => {
    const current = stored.filter(({ expiresAt }) => expiresAt > now);
    const same = current.find(
      (one) => one.file === added.file && one.before === added.before && one.after === added.after,
    );
    if (same !== undefined) return { next: stored, result: same };
    const result: StoredProposal = {
      id: newId(current),
      ...added,
      createdAt: now,
      expiresAt: now + MAX_AGE_MS,
    };
    return { next: [...current, result].slice(-MAX_PROPOSALS), result };
  });
}

/** Removes a change; undefined if there is none with this id. */
export function takeProposal(
  file: string,
  id: string,
  now = Date.now(),
): Promise<StoredProposal | undefined> {
  return updateStateFile(file, FORMAT, (stored) => {
    const current = stored.filter(({ expiresAt }) => expiresAt > now);
    const result = current.find((one) => one.id === id.toUpperCase());
    return { next: current.filter((one) => one !== result), result };
  });
}

function newId(others: readonly StoredProposal[]): string {
  for (;;) {
    const id = Array.from({ length: ID_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
      "",
    );
    if (!others.some((one) => one.id === id)) return id;
  }
}

const FORMAT: StateFormat<readonly StoredProposal[]> = {
  empty: [],
  parse: (text) => {
    const value = parseJson(text);
    const list = isObject(value) && value["version"] === 1 ? value["proposals"] : undefined;
    if (!Array.isArray(list) || !list.every(isProposal)) throw new Error("it is damaged");
    return list;
  },
  // The text of a configuration may contain secrets; only the user can read the file.
  textOf: (proposals) => `${JSON.stringify({ version: 1, proposals }, undefined, 1)}\n`,
  unusable: (file, reason, cause) => {
    const hint = "Move it away; changes that were not confirmed have to be made again";
    return workbenchError("FILE_INVALID", { file, at: "", reason }, hint, cause);
  },
  busy: (file, reason) => workbenchError("FILE_NOT_WRITABLE", { file, reason }, "Try again"),
};

function isProposal(value: unknown): value is StoredProposal {
  const texts = ["id", "file", "before", "after"];
  return (
    isObject(value) &&
    texts.every((key) => typeof value[key] === "string") &&
    ["createdAt", "expiresAt"].every((key) => typeof value[key] === "number")
  );
}
