import { isOwnFile } from "../files/own-file.ts";
import { realPathOf } from "../files/real-path.ts";
import type { Environment } from "./canonical/expand.ts";
import type { SecretReach } from "./canonical/secret-texts.ts";

export type { SecretReach };

/** Every reference contains this, unless some of its characters are escaped. */
const MAY_REFER = /\$\{|\\/;

/**
 * What the references of a configuration may reach. It decides which secrets go to which server, so
 * one that another user controls must not run commands or read files anywhere.
 */
export async function reachOf(
  text: string,
  { file, env }: { readonly file?: string | undefined; readonly env?: Environment | undefined },
): Promise<SecretReach> {
  if (!MAY_REFER.test(text) || file === undefined || isOwnFile(file)) return "anywhere";
  const { trustOf } = await import("./trust/trust.ts");
  const content = { file: realPathOf(file), bytes: Buffer.from(text) };
  return trustOf(content, env) === "trusted" ? "anywhere" : "folder";
}
