import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { ensurePrivateDir } from "../../config/directories.ts";
import { isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { codeOf } from "../../text/error-code.ts";

/** The token of this user, and where it is stored. */
export interface StoredToken {
  readonly token: string;
  readonly file: string;
  /** True if it was just created, so the user has not seen it yet. */
  readonly created: boolean;
}

const TOKEN_BYTES = 32;
const MIN_CHARS = 16;
const ONLY_OWNER = 0o600;
/** Another workbench may have created the file and not filled it yet. */
const READ_TRIES = 50;
const READ_AGAIN_MS = 20;

/** The token in `dir`, created if it does not exist. */
export async function storedToken(dir: string): Promise<StoredToken> {
  ensurePrivateDir(dir);
  const file = join(dir, "token");
  try {
    return { token: await create(file), file, created: true };
  } catch (error) {
    if (codeOf(error) === "EEXIST") return { token: await read(file), file, created: false };
    throw unusable(`${file} cannot be written: ${reasonOf(error)}`, undefined, error);
  }
}

/**
 * Takes a token out of the environment. The variable is removed, so that no server can inherit it.
 */
export function tokenFromEnvironment(name: string, env: NodeJS.ProcessEnv = process.env): string {
  const token = env[name]?.trim();
  delete env[name];
  if (token === undefined || token === "")
    throw workbenchError("USAGE", { reason: `--token-env: the variable ${name} is not set` });
  return checked(token, `the variable ${name}`);
}

async function create(file: string): Promise<string> {
  const handle = await open(file, "wx", ONLY_OWNER);
  try {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    await handle.writeFile(`${token}\n`);
    await handle.sync();
    return token;
  } finally {
    await handle.close();
  }
}

async function read(file: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const text = await readOnce(file);
    if (text !== "" || tries === READ_TRIES) return checked(text, file);
    await delay(READ_AGAIN_MS);
  }
}

async function readOnce(file: string): Promise<string> {
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      await checkOwner(handle, file);
      return (await handle.readFile("utf8")).trim();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isWorkbenchError(error)) throw error;
    throw unusable(`${file} cannot be read: ${reasonOf(error)}`, undefined, error);
  }
}

/** A token that others can read or have written is useless. */
async function checkOwner(handle: FileHandle, file: string): Promise<void> {
  const { mode, uid } = await handle.stat();
  const remedy = "Delete the file; a new token is made at the next start";
  if (process.getuid !== undefined && uid !== process.getuid())
    throw unusable(`${file} belongs to another user`, remedy);
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8);
    throw unusable(`others can use ${file} (its mode is ${octal}, not 600)`, remedy);
  }
}

function checked(token: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= MIN_CHARS) return token;
  throw unusable(
    `${from} does not hold one`,
    `A token has at least ${MIN_CHARS} characters and no spaces. Try: openssl rand -base64 32`,
  );
}

function unusable(reason: string, hint?: string, cause?: unknown): Error {
  return workbenchError("TOKEN_UNUSABLE", { reason }, hint, cause);
}
