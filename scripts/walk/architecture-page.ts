import { replaceBetweenMarkers } from "../artifact.ts";
import type { WalkedFile } from "./measure-walk.ts";

const BEGIN = "<!-- Written by `npm run walk -- --write`. Do not edit. -->";

/** ARCHITECTURE.md with the list of files that a warm call executes. */
export function withWalk(page: string, files: readonly WalkedFile[]): string {
  const list = files.map(({ path }, i) => `${String(i + 1).padStart(2)}. ${path}`);
  return replaceBetweenMarkers(page, BEGIN, ["```", ...list, "```"].join("\n"));
}
