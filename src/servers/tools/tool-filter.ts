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

/** Backtracks to the last `*` only, so that no pattern can stall the program. */
function globMatcher(pattern: string): ToolFilter {
  return (name) => {
    let p = 0;
    let n = 0;
    let star = -1;
    let resume = 0;
    while (n < name.length) {
      if (pattern[p] === "*") {
        star = p++;
        resume = n;
      } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n])) {
        p++;
        n++;
      } else if (star >= 0) {
        p = star + 1;
        n = ++resume;
      } else return false;
    }
    while (pattern[p] === "*") p++;
    return p === pattern.length;
  };
}
