import { essentialHash, hashOf, instructionsHash, pinnedText } from "./definition-hash.ts";
import {
  LOCKED_LISTS,
  type ItemHashes,
  type LockedItems,
  type LockedList,
  type LockedServer,
} from "./lock-file.ts";
import { type ObservedServer, KIND_OF, hasText } from "./observed-server.ts";
import type { PackageSource } from "./package-source.ts";
import { type TextOf, hiddenInSource, sourceHash, withSource } from "./script-sources.ts";
import { type Severity, severeReasons } from "./severity.ts";
import { titleReasons } from "./titles.ts";

/** One difference between what was approved and what a server shows now. */
export interface Difference {
  readonly what: LockedList | "instructions" | "source" | "server";
  /** Of a tool or a prompt, or the URI template; empty for the others. */
  readonly name: string;
  readonly change: "added" | "changed" | "removed";
  readonly severity: Severity;
  /** What makes it severe, or what else to know. */
  readonly reasons: readonly string[];
  /** The definitions as JSON text; undefined if there is none, or it is not on this machine. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

export interface CompareOptions {
  /** The text with this hash, if it is on this machine. */
  readonly definitionOf: (hash: string) => string | undefined;
  /** The names of the tools of all other servers. */
  readonly foreignTools: ReadonlySet<string>;
}

const UNKNOWN = "the approved definition is not stored on this machine";
const ORDER: readonly Severity[] = ["severe", "review", "cosmetic"];

/** The differences of one server, the severe ones first. */
export function differences(
  locked: LockedServer | undefined,
  observed: ObservedServer,
  options: CompareOptions,
): Difference[] {
  const found: Difference[] = [];
  if (locked === undefined)
    found.push({
      what: "server",
      name: "",
      change: "added",
      severity: "review",
      reasons: ["the server is not in the lock file"],
    });
  found.push(...sourceDifference(locked?.source, observed.source, locked === undefined));
  found.push(...instructionsDifference(locked?.instructions, observed.instructions, options));
  for (const list of LOCKED_LISTS)
    found.push(...itemDifferences(list, locked?.items[list], observed, options));
  return found.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

function sourceDifference(
  before: PackageSource | undefined,
  after: PackageSource | undefined,
  isNew: boolean,
): Difference[] {
  const [old, now] = [sourceText(before), sourceText(after)];
  if (old === now || isNew) return [];
  const change = old === undefined ? "added" : now === undefined ? "removed" : "changed";
  return [
    {
      what: "source",
      name: "",
      change,
      severity: "review",
      reasons: [],
      before: old && JSON.stringify(old),
      after: now && JSON.stringify(now),
    },
  ];
}

export function sourceText(source: PackageSource | undefined): string | undefined {
  if (source === undefined) return undefined;
  const { kind, name, version = "unknown version", pinned } = source;
  return `${kind} ${name} ${version}${pinned ? "" : " (not pinned)"}`;
}

function instructionsDifference(
  locked: string | undefined,
  now: string | undefined,
  { definitionOf }: CompareOptions,
): Difference[] {
  const base = { what: "instructions", name: "" } as const;
  if (!hasText(now))
    return locked === undefined
      ? []
      : [
          {
            ...base,
            change: "removed",
            severity: "cosmetic",
            reasons: [],
            before: definitionOf(locked),
          },
        ];
  if (locked === instructionsHash(now)) return [];
  const before = locked === undefined ? JSON.stringify("") : definitionOf(locked);
  const after = JSON.stringify(now);
  const severe = severeReasons(before, after);
  return [
    {
      ...base,
      change: locked === undefined ? "added" : "changed",
      severity: severe.length > 0 ? "severe" : "review",
      reasons: before === undefined ? [...severe, UNKNOWN] : severe,
      before: locked === undefined ? undefined : before,
      after,
    },
  ];
}

function itemDifferences(
  list: LockedList,
  locked: LockedItems = new Map(),
  observed: ObservedServer,
  options: CompareOptions,
): Difference[] {
  const items = observed.items[list];
  const found: Difference[] = [];
  const textOf: TextOf = (hash) => observed.scripts?.get(hash) ?? options.definitionOf(hash);
  for (const [name, item] of items) {
    const known = locked.get(name);
    const text = pinnedText(item);
    if (known?.hash === hashOf(text)) continue;
    const difference =
      known === undefined
        ? addedItem(list, name, text, options)
        : changedItem(list, name, known, text, options);
    found.push(withScript(difference, textOf));
  }
  for (const [name, { hash }] of locked)
    if (!items.has(name))
      found.push({
        what: list,
        name,
        change: "removed",
        severity: "cosmetic",
        reasons: [],
        before: options.definitionOf(hash),
      });
  return found;
}

/** The same with the sources of a saved script in its definitions. */
function withScript(difference: Difference, textOf: TextOf): Difference {
  const { before, after = "", severity, reasons } = difference;
  if (sourceHash(after) === undefined) return difference;
  const hidden = hiddenInSource(before, after, textOf);
  return {
    ...difference,
    severity: hidden.length > 0 ? "severe" : severity,
    reasons: [...reasons, ...hidden],
    before: withSource(before, textOf),
    after: withSource(after, textOf),
  };
}

function addedItem(
  list: LockedList,
  name: string,
  text: string,
  { foreignTools }: CompareOptions,
): Difference {
  const reasons = severeReasons(undefined, text);
  if (list === "tools" && foreignTools.has(name))
    reasons.push("another server has a tool of the same name");
  const severity = reasons.length > 0 ? "severe" : "review";
  return { what: list, name, change: "added", severity, reasons, after: text };
}

function changedItem(
  list: LockedList,
  name: string,
  known: ItemHashes,
  text: string,
  { definitionOf }: CompareOptions,
): Difference {
  const before = definitionOf(known.hash);
  const isSame = known.essential === essentialHash(KIND_OF[list], { text });
  const severe = isSame ? titleReasons(text) : severeReasons(before, text);
  const severity = severe.length > 0 ? "severe" : isSame ? "cosmetic" : "review";
  return {
    what: list,
    name,
    change: "changed",
    severity,
    reasons: before === undefined ? [...severe, UNKNOWN] : severe,
    before,
    after: text,
  };
}
