import { createHash } from "node:crypto";

import { SOURCE_KEY } from "../servers/script-source.ts";
import { type JsonTree, type Member, canonicalText, jsonTree } from "./canonical-json.ts";
import { essential } from "./essential.ts";

/** What a server shows and a lock file pins, besides the server's instructions. */
export type PinnedKind = "tool" | "prompt" | "resourceTemplate";

/** A definition as its server wrote it, before filters and overrides. */
export interface Definition {
  readonly text: string;
}

/**
 * The members that are pinned. `_meta` and icons are not: models do not read them, and servers change
 * them often.
 */
const MEMBERS: Readonly<Record<PinnedKind, ReadonlySet<string>>> = {
  tool: new Set([
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    SOURCE_KEY,
  ]),
  prompt: new Set(["name", "title", "description", "arguments"]),
  resourceTemplate: new Set([
    "uriTemplate",
    "name",
    "title",
    "description",
    "mimeType",
    "annotations",
  ]),
};

/** Identifies a definition: equal exactly if all pinned members are, whatever their spelling. */
export function definitionHash(kind: PinnedKind, definition: Definition): string {
  return hashOf(pinnedText(kind, definition));
}

/** What is hashed: the pinned members, spelled in one way. */
export function pinnedText(kind: PinnedKind, { text }: Definition): string {
  return canonicalText(pinnedPart(kind, text));
}

/** The same without what is cosmetic: titles, white space in descriptions, the order of enums. */
export function essentialHash(kind: PinnedKind, { text }: Definition): string {
  return hashOf(canonicalText(essential(kind, pinnedPart(kind, text))));
}

export function instructionsHash(instructions: string): string {
  return hashOf(JSON.stringify(instructions));
}

/** The pinned members of a definition. */
function pinnedPart(kind: PinnedKind, text: string): JsonTree {
  const tree = jsonTree(text);
  if (tree.kind !== "object") return tree;
  const known = MEMBERS[kind];
  return { kind: "object", members: tree.members.filter(([key]: Member) => known.has(key)) };
}

/** The hash of a text that is spelled in the one way. */
export function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
