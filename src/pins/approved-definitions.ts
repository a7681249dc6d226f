import type { ServerRef } from "../calls/identifier.ts";
import { serverKey } from "../config/server-key.ts";
import type { DefinitionPins, PinnableList, ReviewedTools } from "../servers/definition-pins.ts";
import type { ListedItem } from "../servers/requests/list-reader.ts";
import type { Slices } from "../servers/slices.ts";
import { pinnedText, instructionsHash } from "./definition-hash.ts";
import type { ItemHashes, LockFile, LockedItems, LockedList, LockedServer } from "./lock-file.ts";
import { hasText, itemHashes, itemsById } from "./observed-server.ts";
import { titleReasons } from "./titles.ts";
import { shortList } from "../text/short-list.ts";

/** Reports a problem to the user. */
export type ReportProblem = (problem: string, place: ServerRef) => void;

const CHANGED = "its definition has changed since it was approved";
const NEW = "it has not been approved";
const NEW_SERVER = "the server is not in workbench-lock.json";
const MAX_NAMED = 5;

/** The hashes of items, which are compared again whenever the lock file changes. */
export class HashCache {
  readonly #hashes = new WeakMap<ListedItem, ItemHashes>();

  of(list: LockedList, item: ListedItem): ItemHashes {
    const known = this.#hashes.get(item);
    if (known !== undefined) return known;
    const hashes = itemHashes(list, item);
    this.#hashes.set(item, hashes);
    return hashes;
  }
}

/** Compares definitions with one state of a lock file. */
export class ApprovedDefinitions implements DefinitionPins {
  readonly isEnforced: boolean;
  readonly #lock: LockFile | undefined;
  /** Why there are no approvals to compare with. */
  readonly #problem: string | undefined;
  readonly #hashes: HashCache;
  readonly #report: ReportProblem;
  readonly #reported = new Set<string>();

  /** With neither a lock file nor a problem, everything is approved. */
  constructor(
    lock: LockFile | string | undefined,
    isEnforced: boolean,
    hashes: HashCache,
    report: ReportProblem,
  ) {
    this.#lock = typeof lock === "string" ? undefined : lock;
    this.#problem = typeof lock === "string" ? lock : undefined;
    this.isEnforced = isEnforced;
    this.#hashes = hashes;
    this.#report = report;
  }

  blockedReason(place: ServerRef): string | undefined {
    if (!this.isEnforced) return undefined;
    return this.#problem ?? (this.#entryOf(place) === undefined ? NEW_SERVER : undefined);
  }

  reviewTools(
    place: ServerRef,
    listed: readonly ListedItem[],
    instructions: string | undefined,
  ): ReviewedTools {
    if (this.#problem !== undefined)
      return this.#review(allOf(listed, this.#problem), [this.#problem]);
    if (this.#lock === undefined) return { withheld: new Map(), problems: [] };
    const entry = this.#entryOf(place);
    if (entry === undefined) return this.#review(allOf(listed, NEW_SERVER), [NEW_SERVER]);
    const withheld = this.#unapproved("tools", listed, entry.items.tools);
    const parts = withheld.size > 0 ? [named("tools", withheld)] : [];
    if (hasText(instructions) && entry.instructions !== instructionsHash(instructions))
      parts.push("instructions");
    return this.#review(withheld, parts.length > 0 ? [differs(place, parts)] : []);
  }

  approvedItems(
    place: ServerRef,
    list: PinnableList,
    items: readonly ListedItem[],
  ): readonly ListedItem[] {
    const blocked = this.blockedReason(place);
    if (blocked !== undefined) return [];
    const entry = this.#entryOf(place);
    if (list === "resources" || entry === undefined) return items;
    const unapproved = this.#unapproved(list, items, entry.items[list]);
    if (unapproved.size === 0) return items;
    this.#reportOnce(differs(place, [named(LABELS[list], unapproved)]), place);
    if (!this.isEnforced) return items;
    const approved = [...itemsById(list, items)].filter(([id]) => !unapproved.has(id));
    return approved.map(([, item]) => item);
  }

  approvesInstructions(place: ServerRef, instructions: string): boolean {
    if (!this.isEnforced || !hasText(instructions)) return true;
    return this.#entryOf(place)?.instructions === instructionsHash(instructions);
  }

  async prepareTools(listed: readonly ListedItem[], slices: Slices): Promise<void> {
    slices.begin();
    for (const item of listed) {
      this.#hashes.of("tools", item);
      if (slices.due) await slices.rest();
    }
  }

  #entryOf({ toolbox, server }: ServerRef): LockedServer | undefined {
    return this.#lock?.servers.get(serverKey(toolbox, server));
  }

  #review(withheld: ReadonlyMap<string, string>, problems: readonly string[]): ReviewedTools {
    const { isEnforced } = this;
    return { withheld: isEnforced ? withheld : new Map<string, string>(), problems, isEnforced };
  }

  /** The items that are new or changed, with the reason. */
  #unapproved(
    list: LockedList,
    items: readonly ListedItem[],
    approved: LockedItems,
  ): Map<string, string> {
    const found = new Map<string, string>();
    for (const [id, item] of itemsById(list, items)) {
      const known = approved.get(id);
      if (known === undefined) found.set(id, NEW);
      else if (!this.#isApproved(list, item, known)) found.set(id, CHANGED);
    }
    return found;
  }

  #isApproved(list: LockedList, item: ListedItem, known: ItemHashes): boolean {
    const { hash, essential } = this.#hashes.of(list, item);
    if (hash === known.hash) return true;
    if (essential !== known.essential) return false;
    return titleReasons(pinnedText(item)).length === 0;
  }

  #reportOnce(problem: string, place: ServerRef): void {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#report(problem, place);
  }
}

const LABELS = { prompts: "prompts", resourceTemplates: "resource templates" } as const;

function allOf(listed: readonly ListedItem[], reason: string): Map<string, string> {
  return new Map(Array.from(itemsById("tools", listed).keys(), (name) => [name, reason]));
}

function named(kind: string, items: ReadonlyMap<string, string>): string {
  return `${kind} ${shortList([...items.keys()], MAX_NAMED)}`;
}

function differs({ toolbox, server }: ServerRef, parts: readonly string[]): string {
  return `not as approved in workbench-lock.json: ${parts.join("; ")}. To review: mcp-workbench diff ${toolbox}/${server}`;
}
