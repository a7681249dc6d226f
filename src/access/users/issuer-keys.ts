import { type JSONWebKeySet, type JWTVerifyGetKey, createLocalJWKSet } from "jose";

import type { IdentityProvider } from "../../config/types.ts";
import { allowedUrl } from "../../oauth/allowed-url.ts";
import { getMetadata } from "../../oauth/get-metadata.ts";
import { type GuardedFetch, createGuardedFetch } from "../../oauth/guarded-fetch.ts";
import { metadataUrls } from "../../oauth/server-metadata.ts";
import { codeOf } from "../../text/error-code.ts";

/** After this time, the keys are read again. */
const FRESH_MS = 10 * 60_000;
/** While the identity provider cannot be reached, its last keys are used for this long. */
const KEEP_MS = 24 * 60 * 60_000;
/** Anyone can send tokens with unknown keys: this often may the keys be read in this time. */
const MAX_READS = 5;
const READS_MS = 30_000;
const TIMEOUT_MS = 5_000;

type KeySet = ReturnType<typeof createLocalJWKSet>;

/** The keys cannot be read, so it is not known whether a token is valid. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

export interface IssuerKeysOptions {
  readonly fetch?: GuardedFetch;
  readonly now?: () => number;
}

/** The public keys of an identity provider. They are read when a token needs them. */
export class IssuerKeys {
  readonly #provider: IdentityProvider;
  readonly #fetch: GuardedFetch;
  readonly #now: () => number;
  #keys: KeySet | undefined;
  #readAt = 0;
  #reading: Promise<KeySet> | undefined;
  #reads: number[] = [];

  constructor(provider: IdentityProvider, options: IssuerKeysOptions = {}) {
    this.#provider = provider;
    this.#fetch = options.fetch ?? createGuardedFetch(provider.issuer, { timeoutMs: TIMEOUT_MS });
    this.#now = options.now ?? Date.now;
  }

  /** The key that signed a token. A key that is not known may be new: the keys are read again. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      if (codeOf(error) !== "ERR_JWKS_NO_MATCHING_KEY" || !this.#mayRead()) throw error;
    }
    return (await this.#read())(header, token);
  };

  async #current(): Promise<KeySet> {
    const age = this.#now() - this.#readAt;
    if (this.#keys !== undefined && age < FRESH_MS) return this.#keys;
    try {
      if (this.#mayRead()) return await this.#read();
    } catch (error) {
      if (this.#keys === undefined || age >= KEEP_MS) throw error;
    }
    if (this.#keys !== undefined && age < KEEP_MS) return this.#keys;
    throw new KeysUnavailable("its keys were asked for too often");
  }

  #mayRead(): boolean {
    const now = this.#now();
    this.#reads = this.#reads.filter((at) => now - at < READS_MS);
    return this.#reading !== undefined || this.#reads.length < MAX_READS;
  }

  /** Requests that need the keys at the same time wait for the same answer. */
  #read(): Promise<KeySet> {
    if (this.#reading !== undefined) return this.#reading;
    this.#reads.push(this.#now());
    this.#reading = this.#fetchKeys()
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new KeysUnavailable(reason, { cause: error });
      })
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #fetchKeys(): Promise<KeySet> {
    const { issuer, jwksUri } = this.#provider;
    const address = jwksUri ?? (await this.#addressInMetadata());
    const { href } = allowedUrl(address, "address of its keys", issuer);
    const answer = await getMetadata(this.#fetch, href, this.#now);
    if (answer.document === undefined) throw new Error(answer.problem);
    // It checks the shape.
    const keys = createLocalJWKSet(answer.document as unknown as JSONWebKeySet);
    this.#keys = keys;
    this.#readAt = this.#now();
    return keys;
  }

  async #addressInMetadata(): Promise<unknown> {
    const { issuer } = this.#provider;
    const problems: string[] = [];
    for (const url of metadataUrls(allowedUrl(issuer, "issuer", issuer))) {
      const { document, ...rest } = await getMetadata(this.#fetch, url, this.#now);
      if (document === undefined) problems.push("problem" in rest ? rest.problem : "");
      else if (document["issuer"] !== issuer) problems.push(`${url} is for another issuer`);
      else return document["jwks_uri"];
    }
    throw new Error(`its metadata cannot be read: ${problems.join("; ")}`);
  }
}
