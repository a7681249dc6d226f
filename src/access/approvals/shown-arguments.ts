import { isSecretName, tokensIn } from "../../secrets/patterns.ts";
import { type JsonTree, canonicalText, jsonTree } from "../../pins/canonical-json.ts";
import { cut } from "../../text/truncate.ts";
import { visible } from "../../text/visible.ts";

const MAX_LINES = 12;
const MAX_NAME_CHARS = 60;
const MAX_VALUE_CHARS = 200;
const HIDDEN = "(hidden)";

/**
 * The arguments of a call for a person who decides about it: short, plain text, without secrets. Read
 * as they are sent: a key that is written twice is shown twice, and numbers have all their digits.
 */
export function shownArguments(args: string, redact: (text: string) => string): string[] {
  const tree = jsonTree(args);
  if (tree.kind !== "object") return [shown(textOf(tree), redact)];
  const lines = tree.members.slice(0, MAX_LINES).map(([name, value]) => {
    const own = cut(visible(redact(name)), MAX_NAME_CHARS);
    return `${own}: ${isSecretName(name) ? HIDDEN : shown(textOf(value), redact)}`;
  });
  const more = tree.members.length - lines.length;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

function textOf(tree: JsonTree): string {
  return tree.kind === "string" ? tree.value : canonicalText(withoutSecrets(tree));
}

/** Hides the values of inner members whose names mean a secret. */
function withoutSecrets(tree: JsonTree): JsonTree {
  if (tree.kind === "array") return { kind: "array", items: tree.items.map(withoutSecrets) };
  if (tree.kind !== "object") return tree;
  const hidden: JsonTree = { kind: "string", value: HIDDEN };
  const members = tree.members.map(
    ([name, value]) => [name, isSecretName(name) ? hidden : withoutSecrets(value)] as const,
  );
  return { kind: "object", members };
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
