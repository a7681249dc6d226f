import { isOwnFile } from "../files/own-file.ts";
import { realPathOf } from "../files/real-path.ts";
import type { Environment, SecretUse } from "./canonical/expand.ts";
import type { SecretReach } from "./canonical/secret-texts.ts";

/**
 * What the references of a configuration may reach. It decides which secrets go to which server, so
 * one that another user controls must not run commands or read files anywhere.
 */
export async function reachOf(
  secrets: readonly SecretUse[],
  text: string,
  { file, env }: { readonly file?: string | undefined; readonly env?: Environment | undefined },
): Promise<SecretReach> {
  // As the values are, not as the file spells them: any character of it may be escaped.
  const isNeeded = secrets.some(({ parts }) =>
    parts.some((part) => typeof part !== "string" && part.kind !== "keychain"),
  );
  if (!isNeeded || file === undefined || isOwnFile(file)) return "anywhere";
  const { trustOf } = await import("./trust/trust.ts");
  const content = { file: realPathOf(file), bytes: Buffer.from(text) };
  return trustOf(content, env) === "trusted" ? "anywhere" : "folder";
}
