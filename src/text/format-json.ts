/** JSON text with line breaks and indentation. Values are copied as text, so that numbers keep all their digits. */
export function formatJson(json: string): string {
  let result = "";
  let depth = 0;
  let isAfterBracket = false;
  const line = (): string => `\n${"  ".repeat(Math.max(0, depth))}`;
  for (const [token] of json.matchAll(TOKEN)) {
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth--;
    // Nothing is between the brackets of `{}`.
    if (isAfterBracket !== isEnd) result += line();
    isAfterBracket = token === "{" || token === "[";
    if (isAfterBracket) depth++;
    result += token === ":" ? ": " : token;
    if (token === ",") result += line();
  }
  return result;
}

/** Strings, punctuation, and everything else without white space. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
