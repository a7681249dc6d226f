import { createHmac, randomInt } from "node:crypto";
import { hostname } from "node:os";

import { isProcessRunning } from "../../files/is-running.ts";
import { canonicalText, jsonTree } from "../../pins/canonical-json.ts";
import type {
  AlwaysAllowed,
  ApprovalDecision,
  ApprovalRecord,
  ApprovalSubject,
  Approvals,
} from "./approval-record.ts";
import type { StateFile } from "../state-file.ts";
import { stricter } from "./merge-approvals.ts";
import { readApprovals, updateApprovals } from "./approvals-file.ts";

/** How long a question, and an answer that was not used yet, are kept. */
const MAX_AGE_MS = 60 * 60_000;
/** More questions of one principal than a person can answer; others can still ask. */
const MAX_PENDING = 50;
const MAX_RECORDS = 2000;
const MAX_ALWAYS = 2000;
const WATCH_MS = 15_000;

/** Without characters that are easily confused. */
const ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const ID_LENGTH = 6;

/** A call that needs an approval. */
export interface NeededApproval extends Omit<ApprovalSubject, "argumentsHash" | "serverHash"> {
  readonly arguments: string;
  /** Which server it is. May contain secrets, so only a keyed hash of it is stored. */
  readonly identity: string;
  readonly client: string;
  readonly shown: readonly string[];
  readonly reason: string;
  /** Whether the rule that asks is about arguments. */
  readonly isAboutArguments: boolean;
}

/** What the user decided, and where. */
export interface ApprovalAnswer {
  readonly decision: ApprovalDecision;
  readonly channel: string;
}

/** What is known about a call: it may pass, it was denied, or the user has yet to answer. */
export type Standing =
  | { readonly state: "allowed"; readonly record?: ApprovalRecord; readonly channel: string }
  | { readonly state: "denied"; readonly record: ApprovalRecord }
  | { readonly state: "pending"; readonly record: ApprovalRecord }
  | { readonly state: "full" };

/** A change of the file, and what it is for. */
interface Change<T> {
  readonly next: Approvals;
  readonly result: T;
}

/** Finds the answer for a call, or stores the question. An answer `once` is used up by this. */
export function standingOf(
  file: StateFile,
  needed: NeededApproval,
  now = Date.now(),
): Promise<Standing> {
  return updateApprovals(file, (stored, isAlone) => standingIn(stored, needed, now, isAlone));
}

/** Answers a question; the first answer counts. Returns undefined if there is no such question. */
export function answerApproval(
  file: StateFile,
  id: string,
  decision: ApprovalDecision,
  channel: string,
  now = Date.now(),
): Promise<ApprovalRecord | undefined> {
  const answer = { decision, channel };
  return updateApprovals(file, (stored, isAlone) => withAnswer(stored, id, answer, now, isAlone));
}

/**
 * Answers the question of a call and uses the answer for it, at once: the same call in another session
 * or process must not get what the user of this client has decided.
 */
export function answerForCall(
  file: StateFile,
  id: string,
  answer: ApprovalAnswer,
  needed: NeededApproval,
  now = Date.now(),
): Promise<Standing> {
  return updateApprovals(file, (stored, isAlone) =>
    standingIn(withAnswer(stored, id, answer, now, isAlone).next, needed, now, isAlone),
  );
}

function standingIn(
  stored: Approvals,
  needed: NeededApproval,
  now: number,
  isAlone: boolean,
): Change<Standing> {
  const { arguments: args, identity, isAboutArguments, shown, reason, client, ...target } = needed;
  const approvals = withoutExpired(stored, now);
  const { key } = approvals;
  const subject: ApprovalSubject = {
    ...target,
    serverHash: keyedHash(key, identity),
    argumentsHash: argumentsHash(key, args),
  };
  if (approvals.always.some((allowed) => covers(allowed, subject, isAboutArguments)))
    return { next: stored, result: { state: "allowed", channel: "always" } };
  // Replicas that could not reach each other may have asked about the same call.
  const [first, ...copies] = approvals.records.filter((one) => isSame(one, subject));
  if (first === undefined) {
    const pending = approvals.records.filter(
      ({ decision, principal }) => decision === undefined && principal === subject.principal,
    );
    const others = withRoom(approvals.records);
    if (pending.length >= MAX_PENDING || others.length >= MAX_RECORDS)
      return { next: approvals, result: { state: "full" } };
    const id = newId([...others, ...approvals.always, ...(approvals.used ?? [])]);
    const created: ApprovalRecord = {
      id,
      ...subject,
      client,
      shown,
      reason,
      createdAt: now,
      expiresAt: now + MAX_AGE_MS,
    };
    const next = { ...approvals, records: [...others, created] };
    return { next, result: { state: "pending", record: created } };
  }
  const record = copies.reduce(stricter, first);
  const { decision, channel = "" } = record;
  if (decision === undefined) return { next: approvals, result: { state: "pending", record } };
  if (decision === "deny") return { next: approvals, result: { state: "denied", record } };
  // Another replica may use the same answer, which is for one call.
  if (isAlone && record.isAloneAnswer !== true)
    return { next: approvals, result: { state: "pending", record } };
  const records = approvals.records.filter((one) => one !== first && !copies.includes(one));
  const always =
    decision === "always"
      ? [...approvals.always, alwaysFor(record, subject, isAboutArguments)].slice(-MAX_ALWAYS)
      : approvals.always;
  return {
    next: { ...approvals, records, always },
    result: { state: "allowed", record, channel },
  };
}

function withAnswer(
  stored: Approvals,
  id: string,
  answer: ApprovalAnswer,
  now: number,
  isAlone: boolean,
): Change<ApprovalRecord | undefined> {
  const approvals = withoutExpired(stored, now);
  const record = approvals.records.find((one) => one.id === id.toUpperCase());
  if (record === undefined || record.decision !== undefined)
    return { next: stored, result: record };
  const alone = isAlone && { isAloneAnswer: true };
  const answered = { ...record, ...answer, ...alone, expiresAt: now + MAX_AGE_MS };
  const records = approvals.records.map((one) => (one === record ? answered : one));
  return { next: { ...approvals, records }, result: answered };
}

/** The questions that were not answered yet, the oldest first. */
export function pendingApprovals(file: StateFile, now = Date.now()): readonly ApprovalRecord[] {
  const { records } = withoutExpired(readApprovals(file), now);
  return records.filter(({ decision }) => decision === undefined);
}

/** What the user has always allowed, the oldest first. */
export function alwaysAllowed(file: StateFile): readonly AlwaysAllowed[] {
  return readApprovals(file).always;
}

/** Asks about a tool again that was always allowed. Returns undefined if there is none. */
export function withdrawAlways(file: StateFile, id: string): Promise<AlwaysAllowed | undefined> {
  return updateApprovals(file, (approvals) => {
    const result = approvals.always.find((one) => one.id === id);
    if (result === undefined) return { next: approvals, result };
    const always = approvals.always.filter((one) => one !== result);
    return { next: { ...approvals, always }, result };
  });
}

/** Whether a person waits for questions. */
export function isWatched(file: StateFile, now = Date.now()): boolean {
  const here = hostname();
  return readApprovals(file).watchers.some(
    ({ host, pid, until }) => until > now && (host !== here || isProcessRunning(pid)),
  );
}

/** Records that a person waits for questions in this process, for a while. */
export function watchApprovals(
  file: StateFile,
  isWatching: boolean,
  now = Date.now(),
): Promise<void> {
  const own = { host: hostname(), pid: process.pid };
  return updateApprovals(file, (approvals) => {
    const others = approvals.watchers.filter(
      ({ host, pid, until }) => until > now && (host !== own.host || pid !== own.pid),
    );
    // The end is stored, too: otherwise another copy would still say the opposite.
    const until = isWatching ? now + WATCH_MS : now;
    const watchers = [...others, { ...own, at: now, until }];
    return { next: { ...approvals, watchers }, result: undefined };
  });
}

/** With room for a question: the principal with the most answers loses its oldest one, and is asked again. */
function withRoom(records: readonly ApprovalRecord[]): readonly ApprovalRecord[] {
  if (records.length < MAX_RECORDS) return records;
  const answered = records.filter(({ decision }) => decision !== undefined);
  const counts = new Map<string, number>();
  for (const { principal } of answered) counts.set(principal, (counts.get(principal) ?? 0) + 1);
  const [[most] = []] = Array.from(counts).sort(([, a], [, b]) => b - a);
  const oldest = answered.find(({ principal }) => principal === most);
  return records.filter((one) => one !== oldest);
}

function withoutExpired(approvals: Approvals, now: number): Approvals {
  const records = approvals.records.filter(({ expiresAt }) => expiresAt > now);
  return records.length === approvals.records.length ? approvals : { ...approvals, records };
}

function isSame(record: ApprovalRecord, subject: ApprovalSubject): boolean {
  return (Object.keys(subject) as (keyof ApprovalSubject)[]).every(
    (key) => record[key] === subject[key],
  );
}

function alwaysFor(
  { id, client }: ApprovalRecord,
  subject: ApprovalSubject,
  isAboutArguments: boolean,
): AlwaysAllowed {
  const { argumentsHash: hash, ...target } = subject;
  return { id, client, ...target, ...(isAboutArguments && { argumentsHash: hash }) };
}

/** What was allowed for all arguments does not answer a rule that is about some of them. */
function covers(
  allowed: AlwaysAllowed,
  subject: ApprovalSubject,
  isAboutArguments: boolean,
): boolean {
  const { id: _id, client: _client, argumentsHash: hash, ...target } = allowed;
  if (hash === undefined ? isAboutArguments : hash !== subject.argumentsHash) return false;
  return (Object.keys(target) as (keyof typeof target)[]).every(
    (key) => target[key] === subject[key],
  );
}

/** A repeated call may be written differently. */
function argumentsHash(key: string, args: string): string {
  return keyedHash(key, canonicalText(jsonTree(args)));
}

/** With a key, because short texts could be guessed. */
function keyedHash(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

function newId(records: readonly { readonly id: string }[]): string {
  for (;;) {
    const id = Array.from({ length: ID_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
      "",
    );
    if (!records.some((record) => record.id === id)) return id;
  }
}
