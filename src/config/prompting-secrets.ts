import type { ServerSettings } from "./types.ts";

/**
 * Whether a keychain or a password manager may ask the user when a server is started. Nothing starts
 * such a server unless the user or an agent uses it.
 */
export function mayPrompt({ secretTexts }: Pick<ServerSettings, "secretTexts">): boolean {
  return secretTexts.some(({ parts }) =>
    parts.some((part) => typeof part !== "string" && part.kind !== "file"),
  );
}
