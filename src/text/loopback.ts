import { isIPv4 } from "node:net";

/** True if only programs of this machine can reach the host. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === "localhost" || name === "::1") return true;
  return isIPv4(name) && name.startsWith("127.");
}
