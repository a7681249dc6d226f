import { truncate } from "../text/truncate.ts";
import { visible } from "../text/visible.ts";

const MAX_CHARS = 200;
/** Runs of characters that may be a token, a code or a part of one. Words have no digits or capitals inside. */
const TOKEN_LIKE = /[A-Za-z0-9_~+/=-]{24,}/g;
const WORD = /^[A-Za-z]?[a-z_/-]+$/;

/**
 * Text from an authorization server, for an error message: short, with control characters visible, and
 * without anything that may be a token. Undefined if there is none.
 */
export function foreignText(value: unknown, secrets: readonly string[] = []): string | undefined {
  if (typeof value !== "string") return undefined;
  let text = value.slice(0, MAX_CHARS * 20);
  for (const secret of secrets) if (secret !== "") text = text.replaceAll(secret, "…");
  const shown = visible(
    truncate(
      text.replace(TOKEN_LIKE, (run) => (WORD.test(run) ? run : "…")),
      MAX_CHARS,
    ),
  );
  return shown === "" ? undefined : shown;
}
