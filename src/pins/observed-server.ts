import type { ListedItem } from "../servers/requests/list-reader.ts";
import {
  type PinnedKind,
  definitionHash,
  essentialHash,
  hashOf,
  instructionsHash,
  pinnedText,
} from "./definition-hash.ts";
import {
  type ItemHashes,
  LOCKED_LISTS,
  type LockedItems,
  type LockedList,
  type LockedServer,
} from "./lock-file.ts";
import type { PackageSource } from "./package-source.ts";

/** A server as it describes itself now. */
export interface ObservedServer {
  readonly source: PackageSource | undefined;
  readonly instructions: string | undefined;
  /** By name, or by URI template; of two with the same name the first counts. */
  readonly items: Readonly<Record<LockedList, ReadonlyMap<string, ListedItem>>>;
  /** The sources of its tools by their hash, if they are saved scripts. */
  readonly scripts?: ReadonlyMap<string, string>;
}

export const KIND_OF: Readonly<Record<LockedList, PinnedKind>> = {
  tools: "tool",
  prompts: "prompt",
  resourceTemplates: "resourceTemplate",
};

/** The member that identifies an item of a list. */
const ID_OF: Readonly<Record<LockedList, string>> = {
  tools: "name",
  prompts: "name",
  resourceTemplates: "uriTemplate",
};

/** The items of a list by what identifies them. */
export function itemsById(
  list: LockedList,
  items: readonly ListedItem[],
): ReadonlyMap<string, ListedItem> {
  const byId = new Map<string, ListedItem>();
  for (const item of items) {
    const id = item.value[ID_OF[list]];
    if (typeof id === "string" && !byId.has(id)) byId.set(id, item);
  }
  return byId;
}

/** The entry that approves everything a server shows now. */
export function lockedServer({ source, instructions, items }: ObservedServer): LockedServer {
  const lists = LOCKED_LISTS.map((list): [LockedList, LockedItems] => [
    list,
    new Map(Array.from(items[list], ([id, item]) => [id, itemHashes(list, item)])),
  ]);
  return {
    ...(source !== undefined && { source }),
    ...(hasText(instructions) && { instructions: instructionsHash(instructions) }),
    items: Object.fromEntries(lists) as Record<LockedList, LockedItems>,
  };
}

export function itemHashes(list: LockedList, item: { readonly text: string }): ItemHashes {
  const kind = KIND_OF[list];
  return { hash: definitionHash(item), essential: essentialHash(kind, item) };
}

/** All definitions of a server by their hash, for a later comparison. */
export function definitionsOf({
  instructions,
  items,
  scripts,
}: ObservedServer): Map<string, string> {
  const texts = LOCKED_LISTS.flatMap((list) => Array.from(items[list].values(), pinnedText));
  if (hasText(instructions)) texts.push(JSON.stringify(instructions));
  return new Map([...texts.map((text) => [hashOf(text), text] as const), ...(scripts ?? [])]);
}

/** Empty instructions are the same as none. */
export function hasText(instructions: string | undefined): instructions is string {
  return instructions !== undefined && instructions !== "";
}
