import { createHash } from "node:crypto";

import { type JsonTree, type Member, canonicalText, jsonTree } from "./canonical-json.ts";
import { essential } from "./essential.ts";

/** What a server shows and a lock file pins, besides the server's instructions. */
export type PinnedKind = "tool" | "prompt" | "resourceTemplate";

/** A definition as its server wrote it, before filters and overrides. */
export interface Definition {
  readonly text: string;
}

/**
 * The members that are not pinned: servers change them often. Models do not get them from servers whose
 * definitions are enforced. Everything else is pinned, also members that are not known.
 */
const NOT_PINNED: ReadonlySet<string> = new Set(["_meta", "icons"]);

/** Identifies a definition: equal exactly if all pinned members are, whatever their spelling. */
export function definitionHash(definition: Definition): string {
  return hashOf(pinnedText(definition));
}

/** What is hashed: the pinned members, spelled in one way. */
export function pinnedText({ text }: Definition): string {
  return canonicalText(pinnedPart(text));
}

/** The same without what is cosmetic: titles, white space in descriptions, the order of enums. */
export function essentialHash(kind: PinnedKind, { text }: Definition): string {
  return hashOf(canonicalText(essential(kind, pinnedPart(text))));
}

export function instructionsHash(instructions: string): string {
  return hashOf(JSON.stringify(instructions));
}

/** The pinned members of a definition. */
function pinnedPart(text: string): JsonTree {
  const tree = jsonTree(text);
  if (tree.kind !== "object") return tree;
  const members = tree.members.filter(([key]: Member) => !NOT_PINNED.has(key));
  return { kind: "object", members };
}

/** The hash of a text that is spelled in the one way. */
export function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
