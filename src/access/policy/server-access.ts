import type { Principal } from "../../calls/principal.ts";
import type { Level } from "./levels.ts";

/** Rules that deny a server as a whole, not only some of its tools. */

/** Whether the principal may use the prompts and resources of a server. */
export function deniesOthers(levels: readonly Level[], { name }: Principal): boolean {
  return levels.some(({ rules, fallback }) => {
    const first = rules.find((rule) => rule.isGeneral && rule.matchesClient(name));
    return (first?.action ?? fallback) === "deny";
  });
}

/** Whether the principal may use nothing of a server, whatever its tools are. */
export function deniesServer(levels: readonly Level[], { name }: Principal): boolean {
  return levels.some(({ rules, fallback }) => {
    for (const { action, isGeneral, mayMatchServer, matchesClient } of rules) {
      if (!matchesClient(name) || !mayMatchServer) continue;
      if (action !== "deny") return false;
      if (isGeneral) return true;
    }
    return fallback === "deny";
  });
}
