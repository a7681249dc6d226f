/** The work on large results that would delay everyone else. It is done in a thread of its own. */
import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";

import type { ArgumentsAt } from "../calls/destination.ts";
import { membersOf } from "../wire/members.ts";
import { answerFor } from "./answer.ts";
import type { ResultLimit } from "./limit.ts";
import { type ReferenceProblem, type StoredText, resolveReferences } from "./references.ts";
import { fitsInScript } from "./script-memory.ts";
import { jsonIn, separateText } from "./stored-value.ts";

/** Stores the text of a result in a file. */
export interface StoreJob {
  readonly kind: "store";
  /** The server's message. */
  readonly message: Uint8Array;
  readonly limit: ResultLimit;
  readonly id: string;
  readonly file: string;
  readonly maxBytes: number;
  /** The memory of a script that reads it. */
  readonly memoryMb: number;
}

/** Puts stored results into a request. */
export interface ResolveJob {
  readonly kind: "resolve";
  readonly request: string;
  /** Where the arguments of the tool are in it. */
  readonly at: ArgumentsAt;
  readonly files: Readonly<Record<string, StoredFile>>;
  readonly maxBytes: number;
}

export interface StoredFile {
  readonly file: string;
  /** Undefined if that is not known yet. */
  readonly isJson: boolean | undefined;
}

export type Job = StoreJob | ResolveJob;

/** The message for the client and what was stored; undefined if the result stays as it is. */
export type Stored = { message: string; bytes: number; isJson: boolean } | undefined;
export type Resolved = string | ReferenceProblem;
export type JobResult<J extends Job> = J extends StoreJob ? Stored : Resolved;

export function runJob(job: Job): Stored | Resolved {
  return job.kind === "store" ? store(job) : resolve(job);
}

function store({ message, limit, id, file, maxBytes, memoryMb }: StoreJob): Stored {
  // Bytes that are not text could not be read again.
  if (!isUtf8(message)) return undefined;
  const { buffer, byteOffset, byteLength } = message;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  const { result: parsed } = JSON.parse(text) as { result?: unknown };
  const span = membersOf(text)?.get("result");
  if (span === undefined) return undefined;
  const separated = separateText(text.slice(span.start, span.end), parsed, limit);
  if (separated === undefined) return undefined;
  const content = Buffer.from(separated.text);
  // A lone half of a character has no encoding, so it could not be read again.
  if (content.length > maxBytes || content.toString("utf8") !== separated.text) return undefined;
  const { value } = separated;
  const fits = value === undefined || fitsInScript(separated.text, value, memoryMb);
  const answer = answerFor({ id, text: separated.text, value, fits });
  writePrivate(file, content);
  const result = separated.resultWith(JSON.stringify({ type: "text", text: answer }));
  return {
    message: text.slice(0, span.start) + result + text.slice(span.end),
    bytes: content.length,
    isJson: value !== undefined,
  };
}

const PRIVATE = 0o600;

/** Writes a new file that only its owner can read. Nothing is left of it if that fails. */
function writePrivate(file: string, content: Uint8Array): void {
  const opened = openSync(file, "wx", PRIVATE);
  try {
    for (let at = 0; at < content.length;) at += writeSync(opened, content, at);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(opened);
  }
}

function resolve({ request, at, files, maxBytes }: ResolveJob): Resolved {
  const texts = new Map<string, StoredText>();
  const find = (id: string): StoredText | undefined => {
    const known = texts.get(id);
    const place = Object.hasOwn(files, id) ? files[id] : undefined;
    if (known !== undefined || place === undefined) return known;
    const text = textIn(place.file);
    if (text !== undefined)
      texts.set(id, { text, isJson: place.isJson ?? jsonIn(text) !== undefined });
    return texts.get(id);
  };
  return resolveReferences(request, at, find, maxBytes);
}

/** Undefined if the file was removed in the meantime. */
function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
