import { createHash } from "node:crypto";
import { existsSync, lstatSync, rmSync } from "node:fs";
import { join } from "node:path";

import { workbenchError, type WorkbenchError } from "../../errors.ts";
import { updateFile } from "../../files/update-file.ts";
import { readPrivateFile } from "../../files/read-private-file.ts";
import { randomIn, tokensIn } from "../../secrets/patterns.ts";
import { shellWords } from "../../text/shell-words.ts";
import { visible } from "../../text/visible.ts";
import { ensurePrivateDir, stateDir, thisMachine } from "../directories.ts";
import { effectLines, effectsOf } from "./effects.ts";
import type { Environment } from "../canonical/expand.ts";
import { ownConfigPath } from "../locate.ts";
import { isObject, parseJson } from "../../text/json.ts";

/**
 * The configurations that the user trusts, by real path and content. A file that was changed, moved or
 * copied is not trusted, and a record that another user could have written is ignored.
 */

/** `changed`: it was trusted with different content. */
export type Trust = "trusted" | "changed" | "unknown";

/** A configuration as it was read: the bytes that are checked, shown and used are the same. */
export interface ConfigContent {
  /** Its real path. */
  readonly file: string;
  readonly bytes: Buffer;
  readonly text: string;
}

export function trustFile(env: Environment = process.env): string {
  return join(stateDir(thisMachine(env)), "trusted.json");
}

export function trustOf(
  { file, bytes }: Pick<ConfigContent, "file" | "bytes">,
  env?: Environment,
): Trust {
  const known = recordIn(readPrivateFile(trustFile(env))).get(file);
  if (known === undefined) return "unknown";
  return known.sha256 === fingerprintOf(bytes) ? "trusted" : "changed";
}

/** Throws unless the user trusts exactly this content at this path. */
export async function requireTrust(
  found: ConfigContent,
  env: Environment = process.env,
): Promise<void> {
  const trust = trustOf(found, env);
  if (trust !== "trusted") throw await notTrustedError(found, trust, env);
}

/** Records that the user trusts this content at this real path. */
export async function trustConfig(
  { file, bytes }: Pick<ConfigContent, "file" | "bytes">,
  env: Environment = process.env,
): Promise<void> {
  const record = trustFile(env);
  ensurePrivateDir(stateDir(thisMachine(env)));
  const read = (): string | undefined => {
    const isThere = lstatSync(record, { throwIfNoEntry: false }) !== undefined;
    const before = readPrivateFile(record);
    // A record that is not private is replaced, and not followed if it is a link.
    if (isThere && before === undefined) rmSync(record, { force: true, recursive: true });
    return before;
  };
  const trusted = { sha256: fingerprintOf(bytes), at: new Date().toISOString() };
  await updateFile(record, read, (before) => {
    const configurations = Object.fromEntries(recordIn(before).set(file, trusted));
    return `${JSON.stringify({ version: 1, configurations }, undefined, 2)}\n`;
  });
}

export function fingerprintOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const MAX_LINES = 40;
const MAX_LINE_LENGTH = 1000;

/** Why a configuration is not used, what it would do, and how to continue. */
export async function notTrustedError(
  { file, text }: ConfigContent,
  trust: Trust,
  env: Environment = process.env,
): Promise<WorkbenchError> {
  const lines = effectLines(await effectsOf(file, text));
  const shown = lines.slice(0, MAX_LINES).map(briefly);
  if (lines.length > MAX_LINES) shown.push(`and ${lines.length - MAX_LINES} more lines`);
  const details = ["\n  It would:", ...shown].join("\n    ");
  const own = ownConfigPath(thisMachine(env));
  const path = shellWords([visible(file)]);
  const hint = [
    `If you trust it: mcp-workbench trust --config ${path}`,
    `To use it for one command: --config ${path}`,
    ...(existsSync(own)
      ? [`To use your own configuration instead: --config ${shellWords([own])}`]
      : []),
  ].join("\n");
  return workbenchError(
    "CONFIG_NOT_TRUSTED",
    { file: visible(file), reason: reasonFor(trust), details },
    hint,
  );
}

/** The reason, worded to follow the name of the file. */
export function reasonFor(trust: Trust): string {
  return trust === "changed"
    ? "has changed since you trusted it"
    : "was found in the current folder";
}

interface Known {
  readonly sha256: string;
  readonly at: string;
}

/** By real path; empty if the record is missing or damaged. */
function recordIn(text: string | undefined): Map<string, Known> {
  const record = parseJson(text ?? "");
  const configurations = isObject(record) && record["version"] === 1 && record["configurations"];
  if (!isObject(configurations)) return new Map();
  const isKnown = (entry: unknown): entry is Known =>
    isObject(entry) && typeof entry["sha256"] === "string" && typeof entry["at"] === "string";
  return new Map(
    Object.entries(configurations).flatMap(([file, entry]) =>
      isKnown(entry) ? [[file, entry] as const] : [],
    ),
  );
}

/**
 * Errors end up in logs, which must not contain literal tokens. Only what looks like a token and
 * cannot be code is masked: masking by name would let a configuration hide anything.
 */
function withoutTokens(line: string): string {
  const tokens = [...tokensIn(line), ...randomIn(line, { digests: "fine" })]
    .map(({ start, end }) => line.slice(start, end))
    .filter((token) => /^[\w.~+/=-]+$/.test(token));
  return tokens.reduce((text, token) => text.replaceAll(token, "***"), line);
}

/** Cut before tokens are looked for, but not so that one of them is cut, too. */
function briefly(line: string): string {
  const start = withoutTokens(line.slice(0, 2 * MAX_LINE_LENGTH));
  if (line.length <= 2 * MAX_LINE_LENGTH && start.length <= MAX_LINE_LENGTH) return start;
  const more = line.length - MAX_LINE_LENGTH;
  return `${start.slice(0, MAX_LINE_LENGTH)}… and ${more} more characters`;
}
