import { createHash, randomBytes } from "node:crypto";

import { type Principal, accessIdOf } from "../../calls/principal.ts";
import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";

const PURPOSE = "session";
const UID_BYTES = 12;
/** Session ids are sent with every request, and proxies limit headers. */
const MAX_ID_CHARS = 1024;

/** The replica at which a session began. */
export interface Origin {
  readonly id: string;
  /** Where it is, also for replicas that cannot ask Redis; undefined in ids of earlier versions. */
  readonly address?: string | undefined;
}

/** What a session id contains. */
export interface SessionToken {
  /** Identifies the session everywhere else. */
  readonly uid: string;
  readonly origin: Origin;
  /** What `initialize` declared; undefined if it is too large for an id. */
  readonly declared: JsonObject | undefined;
}

interface Sealed {
  readonly u: string;
  readonly o: string;
  readonly a?: string;
  readonly p: string;
  readonly e: string;
  readonly d?: JsonObject;
}

/** Session ids that any replica can open: sealed, and only valid for one principal at one address. */
export class SessionTokens {
  readonly #link: ClusterLink;

  constructor(link: ClusterLink) {
    this.#link = link;
  }

  create(principal: Principal, path: string, declared: JsonObject): SessionToken & { id: string } {
    const uid = randomBytes(UID_BYTES).toString("base64url");
    const origin = { id: this.#link.replica, address: this.#link.advertise };
    const { id: o, address: a } = origin;
    const sealed: Sealed = { u: uid, o, a, p: digestOf(principal), e: path };
    const whole = this.#link.seal(JSON.stringify({ ...sealed, d: declared }), PURPOSE);
    if (whole.length <= MAX_ID_CHARS) return { id: whole, uid, origin, declared };
    const id = this.#link.seal(JSON.stringify(sealed), PURPOSE);
    return { id, uid, origin, declared: undefined };
  }

  /** Undefined for an id that was not made for this principal and address. */
  open(id: string, principal: Principal, path: string): SessionToken | undefined {
    const text = id.length > 2 * MAX_ID_CHARS ? undefined : this.#link.open(id, PURPOSE);
    if (text === undefined) return undefined;
    const { u, o, a, p, e, d } = JSON.parse(text) as Sealed;
    if (p !== digestOf(principal) || e !== path) return undefined;
    return { uid: u, origin: { id: o, address: a }, declared: isObject(d) ? d : undefined };
  }
}

function digestOf(principal: Principal): string {
  const { kind, issue = "" } = principal;
  return createHash("sha256")
    .update(`${kind} ${accessIdOf(principal)} ${issue}`)
    .digest("base64url");
}
