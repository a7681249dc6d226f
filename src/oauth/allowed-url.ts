import { isLoopback } from "../text/loopback.ts";
import { hasUnseen } from "../text/visible.ts";
import { OAuthFailure } from "./failure.ts";
import { foreignText } from "./foreign-text.ts";

/** The host as a name or an IP address, without the brackets of a URL. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** True if the user configured a server on this machine, by a name that cannot mean anything else. */
export function isLoopbackServer(serverUrl: string): boolean {
  return isLoopback(hostOf(new URL(serverUrl)));
}

/**
 * Checks an address that the MCP server or its authorization server chose: https, or http on this
 * machine if the MCP server itself is on this machine. The address it resolves to is checked when it
 * is contacted.
 */
export function allowedUrl(value: unknown, what: string, serverUrl: string): URL {
  const refuse = (problem: string): OAuthFailure =>
    new OAuthFailure("metadata", `The ${what} ${quoted(value)} is not allowed: ${problem}`, {
      hint: "Ask the operator of the server to correct it",
    });
  if (typeof value !== "string" || hasUnseen(value) || !URL.canParse(value))
    throw refuse("it is not a URL");
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refuse("only https:// addresses are used");
  if (url.username !== "" || url.password !== "")
    throw refuse("it contains a user name or password");
  if (url.hash !== "") throw refuse("it contains a fragment (#)");
  if (url.protocol === "http:" && !(isLoopback(hostOf(url)) && isLoopbackServer(serverUrl)))
    throw refuse("it uses http://, so the traffic would not be encrypted");
  return url;
}

/** Throws for a server to which a token would be sent without encryption. */
export function assertEncrypted(serverUrl: string): void {
  const { protocol, host } = new URL(serverUrl);
  if (protocol === "https:" || isLoopbackServer(serverUrl)) return;
  const reason = `${host} is used with http://, so the token would not be encrypted`;
  throw new OAuthFailure("metadata", reason, { hint: "Use its https:// address" });
}

function quoted(value: unknown): string {
  if (typeof value !== "string") return "(missing)";
  // A password in it must not be shown.
  const safe = value.replace(/\/\/[^/]*@/, "//…@");
  return `'${foreignText(safe) ?? ""}'`;
}
