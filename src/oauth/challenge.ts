import { validScope } from "./scopes.ts";
import type { BearerChallenge } from "./types.ts";

/** Longer headers are cut. Node accepts 16 KB of headers in total. */
const MAX_CHARS = 16 * 1024;

const SEPARATORS = /[\s,]*/y;
const SPACES = /[ \t]*/y;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
/** The other form of a challenge: one value instead of parameters. */
const TOKEN68 = /[ \t]+[A-Za-z0-9\-._~+/]+=*[ \t]*(?=,|$)/y;
const QUOTED = /"((?:[^"\\]|\\[^])*)"/y;
/** More than a token, because servers forget the quotes around addresses. */
const UNQUOTED = /[^\s,"]*/y;

/** Longer than any known one; the rest is left out. */
const MAX_SCOPE_CHARS = 1000;

type Parameters = Map<string, string>;

/**
 * The Bearer challenge in a `WWW-Authenticate` header; undefined if there is none. The header may have
 * challenges of several schemes, and several headers may have been joined by commas.
 */
export function parseChallenge(header: string): BearerChallenge | undefined {
  const bearer = challengesIn(header.slice(0, MAX_CHARS))
    .filter(({ scheme }) => scheme === "bearer")
    .map(({ parameters }) => parameters);
  const best =
    bearer.find((one) => one.has("resource_metadata")) ??
    bearer.find((one) => one.has("error") || one.has("scope")) ??
    bearer[0];
  if (best === undefined) return undefined;
  const resourceMetadata = best.get("resource_metadata");
  const scope = validScope(best.get("scope") ?? "", MAX_SCOPE_CHARS);
  const error = best.get("error");
  const errorDescription = best.get("error_description");
  return {
    ...(resourceMetadata && { resourceMetadata }),
    ...(scope && { scope }),
    ...(error && { error }),
    ...(errorDescription && { errorDescription }),
  };
}

/** Reads as far as the text makes sense. */
function challengesIn(text: string): { scheme: string; parameters: Parameters }[] {
  const challenges: { scheme: string; parameters: Parameters }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at += match[0].length;
    return match ?? undefined;
  };
  for (;;) {
    take(SEPARATORS);
    const word = take(TOKEN)?.[0].toLowerCase();
    if (word === undefined) return challenges;
    const afterWord = at;
    take(SPACES);
    if (text[at] !== "=") {
      challenges.push({ scheme: word, parameters: new Map() });
      at = afterWord;
      take(TOKEN68);
      continue;
    }
    at++;
    take(SPACES);
    const value =
      text[at] === '"' ? take(QUOTED)?.[1]?.replace(/\\([^])/g, "$1") : take(UNQUOTED)?.[0];
    // The rest of the text is inside of quotes that never end.
    if (value === undefined) return challenges;
    const parameters = challenges.at(-1)?.parameters;
    // A parameter may not be repeated; the first one counts.
    if (parameters?.has(word) === false) parameters.set(word, value.trim());
  }
}
