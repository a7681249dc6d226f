import type { ToolOverrides } from "./tool-overrides.ts";

export interface ToolNames {
  /** The name of each tool for clients, by its name on its server. */
  readonly names: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/**
 * Assigns the names of a server's tools. Tools that keep their name come first; a tool whose new
 * name is taken keeps its own, so that no tool hides another.
 */
export function toolNames(ownNames: readonly string[], overrides: ToolOverrides): ToolNames {
  const requestedName = (ownName: string): string =>
    (Object.hasOwn(overrides, ownName) ? overrides[ownName]?.name : undefined) ?? ownName;
  const kept = ownNames.filter((ownName) => requestedName(ownName) === ownName);
  const names = new Map(kept.map((ownName) => [ownName, ownName]));
  const taken = new Set(kept);
  const problems: string[] = [];
  for (const ownName of ownNames) {
    const requested = requestedName(ownName);
    if (requested === ownName) continue;
    const name = [requested, ownName].find((candidate) => !taken.has(candidate));
    if (name !== requested)
      problems.push(
        `overrides: tool '${ownName}' cannot be renamed to '${requested}': the name is taken${name === undefined ? ". It is left out" : ""}`,
      );
    if (name === undefined) continue;
    taken.add(name);
    names.set(ownName, name);
  }
  return { names, problems };
}
