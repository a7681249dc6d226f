import { createHash } from "node:crypto";

import type { CredentialId } from "./record.ts";

const DEFAULT_ACCOUNT = "default";

/** What a sign-in to this server belongs to. Spellings of the same URL give the same id. */
export function credentialId(url: string, account: string = DEFAULT_ACCOUNT): CredentialId {
  return { url: canonicalUrl(url), account };
}

/** The name of the file of a credential. */
export function credentialFileName(id: CredentialId): string {
  const text = JSON.stringify([canonicalUrl(id.url), id.account]);
  return `${createHash("sha256").update(text).digest("hex")}.json`;
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
