import { isLoopback } from "../text/loopback.ts";
import { hasUnseen } from "../text/visible.ts";

/** Why the address of a remote server may not be used; undefined if it may. */
export function addressProblem(text: string): string | undefined {
  if (hasUnseen(text) || !URL.canParse(text)) return "is not a URL";
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return "does not begin with https://";
  if (username !== "" || password !== "") return "contains a user name or password";
  if (hash !== "") return "contains a fragment (#)";
  if (protocol === "http:" && !isLoopback(hostname.replace(/^\[|\]$/g, "")))
    return "uses http://, so the traffic would not be encrypted";
  return undefined;
}
