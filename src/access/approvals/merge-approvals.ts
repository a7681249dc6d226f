import type { ApprovalDecision, ApprovalRecord, Approvals, Watcher } from "./approval-record.ts";

/** How long after its end something is kept, because the clocks of replicas may differ. */
const GRACE_MS = 10 * 60_000;

/** The strictest answer first. */
const STRICTNESS: readonly ApprovalDecision[] = ["deny", "once", "session", "always"];

/**
 * What two copies give together. An answer that was used, and what was withdrawn, in one of them do not come back. Of
 * two answers the stricter one counts. Hashes made with different keys cannot be compared, so the user is asked again
 * about what only this machine has stored with its own key.
 */
export function mergeApprovals(
  local: Approvals,
  shared: Approvals,
  now: number = Date.now(),
): Approvals {
  const watchers = mergedWatchers([...local.watchers, ...shared.watchers], now);
  const isForeign = local.key !== "" && shared.key !== "" && local.key !== shared.key;
  const one = isForeign ? shared : local;
  const used = byId([...(one.used ?? []), ...(shared.used ?? [])], (a, b) =>
    a.until >= b.until ? a : b,
  ).filter(({ until }) => until + GRACE_MS > now);
  const withdrawn = new Set([...(one.withdrawn ?? []), ...(shared.withdrawn ?? [])]);
  const usedIds = new Set(used.map(({ id }) => id));
  const unused = [...one.records, ...shared.records].filter(
    ({ id, expiresAt }) => !usedIds.has(id) && expiresAt > now,
  );
  const always = byId([...one.always, ...shared.always], first);
  return {
    key: shared.key === "" ? local.key : shared.key,
    records: inOrder(byId(unused.map(asShared), stricter)),
    always: always.filter(({ id }) => !withdrawn.has(id)),
    watchers,
    used,
    withdrawn: [...withdrawn].sort(),
  };
}

/** What `next` leaves out of `before` has ended, and must not come back from another copy. */
export function withEnded(before: Approvals, next: Approvals, now: number = Date.now()): Approvals {
  if (next === before) return next;
  const records = new Set(next.records.map(({ id }) => id));
  const always = new Set(next.always.map(({ id }) => id));
  // Questions without an answer only end with their time.
  const used = before.records
    .filter(({ id, decision }) => decision !== undefined && !records.has(id))
    .map(({ id, expiresAt }) => ({ id, until: expiresAt }));
  const withdrawn = before.always.map(({ id }) => id).filter((id) => !always.has(id));
  const earlier = (before.used ?? []).filter(({ until }) => until + GRACE_MS > now);
  return {
    ...next,
    used: [...earlier, ...used],
    withdrawn: [...(before.withdrawn ?? []), ...withdrawn],
  };
}

/** An answer counts more than none, and the stricter one more than the other. */
export function stricter(one: ApprovalRecord, other: ApprovalRecord): ApprovalRecord {
  return rankOf(one) <= rankOf(other) ? one : other;
}

function rankOf(record: ApprovalRecord): string {
  const { decision, createdAt, id } = record;
  const strictness = decision === undefined ? STRICTNESS.length : STRICTNESS.indexOf(decision);
  return `${strictness} ${timeKey(createdAt)} ${id} ${JSON.stringify(record)}`;
}

function asShared(record: ApprovalRecord): ApprovalRecord {
  const { isAloneAnswer: _, ...shared } = record;
  return shared;
}

/** The last word of each process. */
function mergedWatchers(watchers: readonly Watcher[], now: number): readonly Watcher[] {
  const last = new Map<string, Watcher>();
  for (const watcher of watchers) {
    const process = JSON.stringify([watcher.host, watcher.pid]);
    const known = last.get(process);
    if (known === undefined || watcher.at > known.at) last.set(process, watcher);
  }
  return [...last.values()]
    .filter(({ until }) => until + GRACE_MS > now)
    .sort((a, b) => a.pid - b.pid || (a.host < b.host ? -1 : 1));
}

function byId<T extends { readonly id: string }>(
  items: readonly T[],
  choose: (one: T, other: T) => T,
): readonly T[] {
  const chosen = new Map<string, T>();
  for (const item of items) {
    const known = chosen.get(item.id);
    chosen.set(item.id, known === undefined ? item : choose(known, item));
  }
  return [...chosen.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function first<T>(one: T): T {
  return one;
}

function inOrder(records: readonly ApprovalRecord[]): readonly ApprovalRecord[] {
  return [...records].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

function timeKey(ms: number): string {
  return String(ms).padStart(16, "0");
}
