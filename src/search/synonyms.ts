/**
 * Everyday words that tools may call by another name: a person makes a folder, a tool creates a directory. Only
 * words that mean the same in almost every query; the table of word vectors knows what is merely similar.
 */

import { stem } from "./stem.ts";

const GROUPS: readonly (readonly string[])[] = [
  ["create", "make", "new"],
  ["delete", "remove", "erase"],
  ["list", "show", "view", "display"],
  ["get", "fetch", "retrieve", "download"],
  ["search", "find", "lookup"],
  ["edit", "modify", "update", "change"],
  ["run", "execute"],
  ["start", "launch"],
  ["stop", "terminate"],
  ["folder", "directory", "dir"],
  ["picture", "image", "photo"],
  ["mail", "email"],
  ["repo", "repository"],
  ["db", "database"],
  ["price", "cost"],
  ["website", "site"],
  ["write", "save"],
  ["ticket", "issue"],
  ["answer", "reply", "respond"],
  ["spreadsheet", "sheet"],
];

const BY_STEM: ReadonlyMap<string, readonly string[]> = new Map(
  GROUPS.flatMap((group) => {
    const stems = group.map(stem);
    return stems.map((one) => [one, stems.filter((other) => other !== one)] as const);
  }),
);

/** The stems of other words for the same thing. */
export function synonymsOf(term: string): readonly string[] {
  return BY_STEM.get(term) ?? [];
}
