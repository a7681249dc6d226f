import type { ClusterLink } from "../../cluster/cluster-link.ts";
import type { Redact } from "../../secrets/redact.ts";
import type { KnownServer } from "../../servers/server-memory.ts";
import {
  UNREACHABLE,
  type Unreachable,
  decodeCatalogue,
  encodeCatalogue,
} from "./catalogue-file.ts";
import { DiskCatalogues } from "./catalogue-store.ts";
import type { CatalogueStore } from "./catalogues.ts";

/** Larger ones are not kept in Redis: other replicas ask the server themselves. */
const MAX_CHARS = 256 * 1024;
const KEPT_SECONDS = 30 * 24 * 60 * 60;
const PURPOSE = "catalogue";
const CHANNEL = "catalogues";
/** What is sealed needs no checksum of its own. */
const NO_KEY = Buffer.alloc(32);

/** What this machine or another replica has learned about servers. */
export class SharedCatalogues implements CatalogueStore {
  readonly #disk: CatalogueStore;
  readonly #link: ClusterLink;
  readonly #redact: Redact;
  /** The servers that were read or written here, by their names in Redis. */
  readonly #identities = new Map<string, string>();
  /** What this machine has learned, and Redis has not: Redis was away, or it is too large. */
  readonly #unshared = new Set<string>();

  constructor(
    link: ClusterLink,
    redact: Redact,
    disk: CatalogueStore = new DiskCatalogues(redact),
  ) {
    this.#disk = disk;
    this.#link = link;
    this.#redact = redact;
  }

  /** What reached Redis last counts; the disk has a copy for the time in which Redis is away. */
  async read(identity: string): Promise<KnownServer | Unreachable | undefined> {
    const reading = this.#disk.read(identity).catch(() => undefined);
    const name = this.#nameOf(identity);
    this.#identities.set(name, identity);
    const shared = this.#unshared.has(identity) ? undefined : await this.#readShared(name);
    const stored = await reading;
    if (shared === undefined) return stored;
    if (!isSame(shared, stored)) await this.#disk.write(identity, shared).catch(() => undefined);
    return shared;
  }

  async write(identity: string, known: KnownServer): Promise<void> {
    await Promise.all([this.#disk.write(identity, known), this.#share(identity, known)]);
  }

  follow(onChanged: (identity: string) => void): void {
    const link = this.#link;
    link.subscribe(CHANNEL, (message) => {
      const own = `${link.replica} `;
      const name = message.slice(message.indexOf(" ") + 1);
      const identity = message.startsWith(own) ? undefined : this.#identities.get(name);
      if (identity !== undefined) onChanged(identity);
    });
    // What was learned while Redis was away is shared now, and what others have learned is read.
    link.onUp(() => {
      for (const identity of this.#unshared) void this.#shareStored(identity);
      for (const identity of this.#identities.values())
        if (!this.#unshared.has(identity)) onChanged(identity);
    });
  }

  writeUnreachable(identity: string): Promise<void> {
    return this.#disk.writeUnreachable(identity);
  }

  async #readShared(name: string): Promise<KnownServer | undefined> {
    const link = this.#link;
    try {
      const sealed = await link.command("GET", link.key(name));
      const text = typeof sealed === "string" ? link.open(sealed, PURPOSE) : undefined;
      const known = text === undefined ? undefined : await decodeCatalogue(text, name, NO_KEY);
      return known === UNREACHABLE ? undefined : known;
    } catch {
      return undefined;
    }
  }

  async #shareStored(identity: string): Promise<void> {
    const stored = await this.#disk.read(identity).catch(() => undefined);
    if (stored !== undefined && stored !== UNREACHABLE) await this.#share(identity, stored);
  }

  /** Without Redis, the other replicas ask the server. */
  async #share(identity: string, known: KnownServer): Promise<void> {
    const link = this.#link;
    const name = this.#nameOf(identity);
    this.#identities.set(name, identity);
    this.#unshared.add(identity);
    const text = await encodeCatalogue(known, name, NO_KEY, this.#redact);
    if (text === undefined || text.length > MAX_CHARS) return;
    try {
      await link.command("SET", link.key(name), link.seal(text, PURPOSE), "EX", KEPT_SECONDS);
    } catch {
      return;
    }
    this.#unshared.delete(identity);
    link.publish(CHANNEL, `${link.replica} ${name}`);
  }

  /** Reveals nothing about the configuration. */
  #nameOf(identity: string): string {
    return `catalogue:${this.#link.sign(identity, PURPOSE)}`;
  }
}

function isSame(one: KnownServer, other: KnownServer | Unreachable | undefined): boolean {
  if (other === undefined || other === UNREACHABLE) return false;
  const textOf = ({ serverInfo, capabilities, instructions, tools, others }: KnownServer): string =>
    JSON.stringify([serverInfo, capabilities, instructions, tools, [...others]]);
  return textOf(one) === textOf(other);
}
