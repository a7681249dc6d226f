import { globMatcher } from "../../text/glob.ts";

/**
 * `toolFilters`: names or globs (`*` any characters, `?` one), `!` in front excludes. A tool is
 * visible if a pattern includes it and none excludes it; a list of only exclusions starts from all.
 */
export type ToolFilter = (name: string) => boolean;

export function toolFilter(patterns: readonly string[]): ToolFilter {
  const excluded = patterns.filter((p) => p.startsWith("!")).map((p) => globMatcher(p.slice(1)));
  const included = patterns.filter((p) => !p.startsWith("!")).map(globMatcher);
  if (included.length === 0 && excluded.length > 0) included.push(() => true);
  return (name) => included.some((match) => match(name)) && !excluded.some((match) => match(name));
}
