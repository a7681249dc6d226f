import { randomBytes } from "node:crypto";

import type { ClientCall } from "../calls/call.ts";

/** Random names of sessions. Their ids are not recorded: with one, a request could join the session. */
export class SessionNames {
  /** By the object that represents the client. */
  readonly #names = new WeakMap<object, string>();

  /** Modern clients have no session, except over stdio. */
  of({ caller }: ClientCall): string | undefined {
    const client = caller.client ?? (caller.era === "legacy" ? caller : undefined);
    if (client === undefined) return undefined;
    const known = this.#names.get(client);
    if (known !== undefined) return known;
    const name = randomBytes(6).toString("hex");
    this.#names.set(client, name);
    return name;
  }
}
