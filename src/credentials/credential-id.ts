import { createHash } from "node:crypto";

import type { SignInUser } from "../config/types.ts";
import type { CredentialId } from "./record.ts";

const DEFAULT_ACCOUNT = "default";

/** What a sign-in to this server belongs to. Spellings of the same URL give the same id. */
export function credentialId(
  url: string,
  account: string = DEFAULT_ACCOUNT,
  user?: SignInUser,
): CredentialId {
  return { url: canonicalUrl(url), account, ...(user && { user }) };
}

/** Whether two sign-ins are the same. The name of a user may change. */
export function credentialKey({ url, account, user }: CredentialId): string {
  return JSON.stringify([canonicalUrl(url), account, ...(user ? [user.id] : [])]);
}

/** The name of the file of a credential. */
export function credentialFileName(id: CredentialId): string {
  return `${createHash("sha256").update(credentialKey(id)).digest("hex")}.json`;
}

/**
 * Lower-case scheme and host, without default port and fragment. User names and passwords do not get
 * into files and messages. The path stays as it is: `/mcp` and `/mcp/` may be different resources.
 */
function canonicalUrl(url: string): string {
  const parsed = new URL(url);
  parsed.hash = "";
  parsed.username = "";
  parsed.password = "";
  const { href, pathname, search } = parsed;
  return pathname === "/" && search === "" ? href.replace(/[/?]+$/, "") : href.replace(/\?$/, "");
}
