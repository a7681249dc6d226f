import { isSecretName, tokensIn } from "../../secrets/patterns.ts";
import { isObject, parseJson } from "../../text/json.ts";
import { cut } from "../../text/truncate.ts";
import { visible } from "../../text/visible.ts";

const MAX_LINES = 12;
const MAX_NAME_CHARS = 60;
const MAX_VALUE_CHARS = 200;
const HIDDEN = "(hidden)";

/** The arguments of a call for a person who decides about it: short, plain text, without secrets. */
export function shownArguments(args: string, redact: (text: string) => string): string[] {
  const parsed = parseJson(args);
  if (!isObject(parsed)) return [shown(args, redact)];
  const entries = Object.entries(parsed);
  const lines = entries.slice(0, MAX_LINES).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const own = cut(visible(redact(name)), MAX_NAME_CHARS);
    return `${own}: ${isSecretName(name) ? HIDDEN : shown(text, redact)}`;
  });
  const more = entries.length - lines.length;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

/** Redacted before it is cut, so that no part of a secret remains. */
function shown(text: string, redact: (text: string) => string): string {
  // No more is shown, and escaping megabytes takes time.
  const start = redact(text.slice(0, 4 * MAX_VALUE_CHARS));
  return cut(visible(withoutTokens(start)), MAX_VALUE_CHARS);
}

/** Hides what looks like a token. */
function withoutTokens(text: string): string {
  let result = "";
  let kept = 0;
  for (const { start, end } of tokensIn(text)) {
    result += text.slice(kept, start) + HIDDEN;
    kept = end;
  }
  return result + text.slice(kept);
}
