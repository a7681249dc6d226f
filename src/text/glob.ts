/** Whether a text matches a pattern: `*` stands for any characters, `?` for one UTF-16 code unit. */
export type Matcher = (text: string) => boolean;

/** Backtracks to the last `*` only, so that no pattern can stall the program. */
export function globMatcher(pattern: string): Matcher {
  return (text) => {
    let p = 0;
    let n = 0;
    let star = -1;
    let resume = 0;
    while (n < text.length) {
      if (pattern[p] === "*") {
        star = p++;
        resume = n;
      } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[n])) {
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

/** Whether some text with this beginning matches the pattern. */
export function mayMatchStart(pattern: string, start: string): boolean {
  // The positions in the pattern that reading this much of the start can lead to.
  let positions = withStars(pattern, new Set([0]));
  for (let i = 0; i < start.length; i++) {
    const character = start[i];
    const next = new Set<number>();
    for (const at of positions)
      if (pattern[at] === "*") next.add(at);
      else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === character))
        next.add(at + 1);
    positions = withStars(pattern, next);
  }
  return positions.size > 0;
}

/** True only if each text that matches the narrow pattern matches the wide one, too. */
export function covers(wide: string, narrow: string): boolean {
  // The positions in the wide pattern that every text of this much of the narrow one can lead to.
  let positions = withStars(wide, new Set([0]));
  for (let i = 0; i < narrow.length; i++) {
    const character = narrow[i];
    const next = new Set<number>();
    for (const at of positions)
      if (wide[at] === "*") next.add(at);
      else if (character !== "*" && (wide[at] === "?" || wide[at] === character)) next.add(at + 1);
    positions = withStars(wide, next);
  }
  return positions.has(wide.length);
}

/** A `*` may also stand for nothing. */
function withStars(pattern: string, positions: Set<number>): Set<number> {
  for (const at of positions) if (pattern[at] === "*") positions.add(at + 1);
  return positions;
}
