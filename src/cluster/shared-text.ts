import { randomBytes } from "node:crypto";

import type { ClusterLink } from "./cluster-link.ts";

/** A text that all replicas share, with a version that changes whenever it is replaced. */
export interface VersionedText {
  readonly text: string;
  readonly version: string;
}

/** Replaces the text if its version is still the one that was read. */
const REPLACE = `
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'text', ARGV[3])
return 1`;
const VERSION_BYTES = 9;

/** A small text in Redis, sealed, so that only replicas can read or make it. */
export class SharedText {
  readonly #link: ClusterLink;
  readonly #name: string;
  readonly #report: (problem: string) => void;
  #reported = "";

  constructor(link: ClusterLink, name: string, report: (problem: string) => void) {
    this.#link = link;
    this.#name = `shared:${name}`;
    this.#report = report;
  }

  /** Undefined if there is none. Rejects if Redis is away, or no replica with the same keys has sealed the text. */
  async read(): Promise<VersionedText | undefined> {
    const link = this.#link;
    const found = await link.command("HMGET", link.key(this.#name), "version", "text");
    const [version, sealed] = Array.isArray(found) ? (found as unknown[]) : [];
    if (typeof version !== "string" || typeof sealed !== "string") return undefined;
    const text = link.open(sealed, this.#name);
    if (text === undefined) throw this.#unreadable(version);
    const read = { text, version };
    // The key that has sealed it may be removed next.
    if (!link.isCurrent(sealed, this.#name)) void this.replace(read, text).catch(() => false);
    return read;
  }

  /** False if another replica was faster; then read it again. */
  async replace(before: VersionedText | undefined, text: string): Promise<boolean> {
    const link = this.#link;
    const version = randomBytes(VERSION_BYTES).toString("base64url");
    const sealed = link.seal(text, this.#name);
    const keys = [link.key(this.#name)];
    const done = await link.script(REPLACE, keys, [before?.version ?? "", version, sealed]);
    if (Number(done) !== 1) return false;
    link.publish(this.#name, version);
    return true;
  }

  /** Calls back when the text was replaced, and whenever that may have happened unnoticed. */
  follow(onChange: () => void): () => void {
    const ends = [this.#link.subscribe(this.#name, onChange), this.#link.onUp(onChange)];
    return () => {
      for (const end of ends) end();
    };
  }

  #unreadable(version: string): Error {
    const key = this.#link.key(this.#name);
    const problem = `${key} in Redis was not sealed with a key of this cluster, so it is not shared. Use the same keys everywhere, or delete it`;
    if (this.#reported !== version) this.#report(problem);
    this.#reported = version;
    return new Error(problem);
  }
}
