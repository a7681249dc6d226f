import type { CredentialRecord } from "../../../src/credentials/record.ts";
import { NO_LOG } from "../../../src/log.ts";
import type { OAuthSettings } from "../../../src/config/types.ts";
import { createSignIns, type SignIns } from "../../../src/sign-in/sign-ins.ts";
import type { BearerToken, SignInControl } from "../../../src/sign-in/types.ts";
import { FakeProtocol } from "./fake-protocol.ts";
import { FakeStore } from "./fake-store.ts";

export const SERVER_URL = "https://mcp.test/mcp";
export const PLACE = { toolbox: "work", server: "notion" };
export const MINUTE = 60_000;

/** The engine with a store in memory, an authorization server without a network, and a clock. */
export class SignInBench {
  /** A round number makes failures readable. */
  time = 1_000_000_000_000;
  readonly store = new FakeStore();
  readonly protocol = new FakeProtocol(() => this.time);
  readonly hidden: string[] = [];

  /** A process of its own. */
  process(options: { readonly watches?: boolean } = {}): SignIns {
    return createSignIns({
      store: this.store.open(options),
      log: NO_LOG,
      redactValues: (values) => void this.hidden.push(...values),
      protocol: this.protocol.functions,
      now: () => this.time,
    });
  }

  signIn(oauth: Partial<OAuthSettings> = {}, signIns = this.process()): SignInControl {
    const settings = { account: "default", grant: "authorization_code", ...oauth } as const;
    return signIns.of({ url: SERVER_URL, oauth: settings, place: PLACE });
  }

  /** A sign-in whose token has this long to live. */
  stored(changes: Partial<CredentialRecord> = {}, leftMs = 60 * MINUTE): CredentialRecord {
    const { endpoints } = this.protocol.discovery();
    const record: CredentialRecord = {
      version: 1,
      url: SERVER_URL,
      account: "default",
      generation: 1,
      endpoints,
      resource: SERVER_URL,
      client: { kind: "dcr", clientId: "client-0", authMethod: "none" },
      token: {
        accessToken: "access-token-0",
        refreshToken: "refresh-token-0",
        obtainedAt: this.time + leftMs - 60 * MINUTE,
        expiresAt: this.time + leftMs,
      },
      ...changes,
    };
    this.store.put(record);
    return record;
  }
}

export const bearer = (number: number): string => `Bearer access-token-${number}`;

/** A challenge to a request that was sent with this token. */
export const rejected = (sent: BearerToken | undefined) =>
  ({ status: 401, header: 'Bearer error="invalid_token"', sent }) as const;
