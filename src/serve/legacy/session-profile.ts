import {
  type ClientProfile,
  type SharedUse,
  clientProfile,
} from "../../protocol/client-profile.ts";
import { envelopeOf } from "../../protocol/envelope.ts";
import { supportsUi } from "../../protocol/ui-extension.ts";
import { legacyVersionFor } from "../../protocol/versions.ts";
import { type IncomingRequest, type JsonObject, isObject } from "../../wire/messages.ts";

const UNKNOWN_CLIENT = clientProfile("legacy", {}, { name: "unknown", version: "0" });

/** What a legacy client has stated about itself, in `initialize` and with `logging/setLevel`. */
export class SessionProfile {
  client: ClientProfile = UNKNOWN_CLIENT;
  /** The version negotiated in `initialize`; undefined until then. */
  protocolVersion: string | undefined;
  logLevel: string | undefined;
  /** What a modern server needs to know about the client. */
  envelope: JsonObject = envelopeOf(UNKNOWN_CLIENT);
  readonly #shared: SharedUse | undefined;

  constructor(shared?: SharedUse) {
    this.#shared = shared;
  }

  /** Whether the client shows pages of servers. */
  get showsPages(): boolean {
    return supportsUi(this.client.capabilities);
  }

  /** Takes the client's statements from `initialize`. */
  initialize({ params }: IncomingRequest): void {
    const { protocolVersion, capabilities, clientInfo } = params;
    const stated = isObject(capabilities) ? capabilities : {};
    const info = isObject(clientInfo) ? clientInfo : UNKNOWN_CLIENT.info;
    this.client = clientProfile("legacy", stated, info, this.#shared);
    this.envelope = envelopeOf(this.client, this.logLevel);
    this.protocolVersion = legacyVersionFor(String(protocolVersion));
  }

  /** The only server that the client sees speaks no later version than this. */
  limitVersion(latest: string): void {
    // Versions are dates.
    if (this.protocolVersion !== undefined && latest < this.protocolVersion)
      this.protocolVersion = latest;
  }

  /** `initialize` failed; the client may send it again. */
  revoke(): void {
    this.protocolVersion = undefined;
  }

  setLogLevel(level: string): void {
    this.logLevel = level;
    this.envelope = envelopeOf(this.client, level);
  }
}
