import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";

import { writeFileAtomic } from "../files/write-atomic.ts";
import { asText, isObject, parseJson } from "../text/json.ts";
import { safeLine } from "../text/safe-text.ts";
import { truncate } from "../text/truncate.ts";
import { readOwnFile } from "./private-files.ts";
import type { SharedFailure } from "./types.ts";

const MAX_REASON_CHARS = 500;

/**
 * The file in which the holder of a lock leaves its failure for the processes that wait for the lock. They compare
 * what is in it before and after, which works whatever the clocks show.
 */
export class SharedFailureFile {
  readonly #file: string;
  readonly #before: string | undefined;

  /** Call it before waiting for the lock. */
  constructor(lockFile: string) {
    this.#file = failureFileOf(lockFile);
    this.#before = this.#text();
  }

  /** What another process left since then. */
  read(): SharedFailure | undefined {
    const text = this.#text();
    return text === undefined || text === this.#before ? undefined : parseFailure(text);
  }

  /** Without it, the other processes find out for themselves. */
  async write(failure: SharedFailure): Promise<void> {
    const text = JSON.stringify({ ...failure, id: randomUUID() });
    await writeFileAtomic(this.#file, text, { mode: 0o600 }).catch(() => undefined);
  }

  #text(): string | undefined {
    try {
      return readOwnFile(this.#file);
    } catch {
      return undefined;
    }
  }
}

/** Removes what was left for a record that has changed since. */
export async function forgetFailure(recordFile: string): Promise<void> {
  await rm(failureFileOf(recordFile), { force: true }).catch(() => undefined);
}

function failureFileOf(file: string): string {
  return `${file.replace(/\.(?:lock|json)$/, "")}.failed`;
}

function parseFailure(text: string): SharedFailure | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { generation, retryAfterMs } = value;
  const reason = truncate(safeLine(asText(value["reason"])), MAX_REASON_CHARS);
  if (!Number.isSafeInteger(generation) || reason === "") return undefined;
  const wait = Number.isFinite(retryAfterMs) ? Number(retryAfterMs) : 0;
  return { generation: Number(generation), reason, retryAfterMs: wait };
}
