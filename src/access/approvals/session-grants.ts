import type { ClientCall } from "../../calls/call.ts";
import type { NeededApproval } from "./manage-approvals.ts";

/** Clients without a session are remembered by their principal, for this long. */
const MAX_AGE_MS = 60 * 60_000;
const MAX_PRINCIPALS = 1000;

interface Grants {
  readonly keys: Set<string>;
  readonly until: number;
}

/** The tools that users have allowed until a client disconnects. Kept in memory only. */
export class SessionGrants {
  readonly #bySession = new WeakMap<object, Grants>();
  readonly #byPrincipal = new Map<string, Grants>();

  has(call: ClientCall, needed: NeededApproval): boolean {
    const grants = this.#of(call);
    return grants !== undefined && grants.until > Date.now() && grants.keys.has(keyOf(needed));
  }

  add(call: ClientCall, needed: NeededApproval): void {
    const known = this.#of(call);
    const isValid = known !== undefined && known.until > Date.now();
    const grants = isValid ? known : this.#create(call);
    grants.keys.add(keyOf(needed));
  }

  #of({ caller, principal }: ClientCall): Grants | undefined {
    const session = sessionOf(caller);
    return session ? this.#bySession.get(session) : this.#byPrincipal.get(principal.id);
  }

  #create({ caller, principal }: ClientCall): Grants {
    const session = sessionOf(caller);
    const grants = { keys: new Set<string>(), until: session ? Infinity : Date.now() + MAX_AGE_MS };
    if (session) this.#bySession.set(session, grants);
    else {
      if (this.#byPrincipal.size >= MAX_PRINCIPALS) this.#byPrincipal.clear();
      this.#byPrincipal.set(principal.id, grants);
    }
    return grants;
  }
}

/** A modern request over HTTP belongs to no session. */
function sessionOf(caller: ClientCall["caller"]): object | undefined {
  return caller.client ?? (caller.era === "legacy" ? caller : undefined);
}

function keyOf(needed: NeededApproval): string {
  const { principal, toolbox, server, tool, identity, policy, definition } = needed;
  const args = needed.isAboutArguments ? needed.arguments : "";
  return JSON.stringify([principal, toolbox, server, tool, identity, policy, definition, args]);
}
