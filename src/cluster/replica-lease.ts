import type { ClusterLink } from "./cluster-link.ts";

/** After this time without a sign of life, other replicas may take the sessions of one. */
export const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
/** For what a timer and a clock may be wrong. */
const MARGIN_MS = 500;
/** How long the address of a replica is known that no longer renews its lease. */
const ADDRESS_MS = 3_600_000;

/** Where replicas announce themselves. */
const CHANNEL = "replicas";

/** Renews a lease and returns whether it existed, and the other replicas that have one, with their sealed addresses. */
const RENEW = `
local live = {redis.call('EXISTS', KEYS[1])}
redis.call('SET', KEYS[1], '1', 'PX', ARGV[3])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[4])
redis.call('SADD', KEYS[3], ARGV[1])
for _, id in ipairs(redis.call('SMEMBERS', KEYS[3])) do
  local address = redis.call('GET', ARGV[6] .. id)
  if not address then redis.call('SREM', KEYS[3], id)
  elseif id ~= ARGV[1] and redis.call('EXISTS', ARGV[5] .. id) == 1 then
    table.insert(live, id) table.insert(live, address)
  end
end
return live`;

/** The replicas that have a lease, with their sealed addresses. */
const LIVE = `
local live = {}
for _, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local address = redis.call('GET', ARGV[2] .. id)
  if address and redis.call('EXISTS', ARGV[1] .. id) == 1 then
    table.insert(live, id) table.insert(live, address)
  end
end
return live`;

/** The names of the keys in Redis, without the id of a replica. */
export const LEASE_KEY = "r:";
export const ADDRESS_KEY = "a:";

/**
 * Tells the other replicas that this one lives, and knows which others do. One lease for everything a replica owns, so
 * the cost does not grow with sessions.
 */
export class ReplicaLease {
  readonly #link: ClusterLink;
  readonly #sealedAddress: string;
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  readonly #onRenewed: (hadGap: boolean) => void;
  #peers: ReadonlyMap<string, string> = new Map();
  #former: ReadonlyMap<string, string> = new Map();
  #formerUntil = -Infinity;
  #renewing: Promise<boolean> | undefined;
  #until = -Infinity;
  #untilWall = -Infinity;
  #gaps = 0;

  /** @param onRenewed called after each renewal; `hadGap` if others may have taken what this replica owned */
  constructor(link: ClusterLink, onRenewed: (hadGap: boolean) => void) {
    this.#link = link;
    this.#onRenewed = onRenewed;
    this.#sealedAddress = link.seal(link.advertise, addressPurpose(link.replica));
    this.#timer = setInterval(() => void this.renew(), RENEW_MS).unref();
    const stops = [
      link.onUp(() => void this.renew()),
      // A replica has started, is back, or has ended.
      link.subscribe(CHANNEL, (replica) => {
        if (replica !== link.replica) void this.renew();
      }),
    ];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
  }

  /** The addresses of the other replicas that lived when the lease was last renewed, by id. */
  get peers(): ReadonlyMap<string, string> {
    return this.#peers;
  }

  /** The same, and those that lived before the last gap: Redis may be back, and not know all replicas yet. */
  get knownPeers(): ReadonlyMap<string, string> {
    return performance.now() < this.#formerUntil
      ? new Map([...this.#former, ...this.#peers])
      : this.#peers;
  }

  /**
   * Whether no other replica can have taken what this one owns. Both clocks are asked: one of them stands still while the
   * machine sleeps, the other can be set.
   */
  get isFresh(): boolean {
    return performance.now() < this.#until && Date.now() < this.#untilWall;
  }

  /** How often the lease had ended before it was renewed. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Whether the lease could be renewed. */
  renew(): Promise<boolean> {
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  /** The address that a replica has sealed; undefined if it did not. */
  addressOf(replica: string, sealed: unknown): string | undefined {
    return openAddress(this.#link, replica, sealed);
  }

  /** Ends the lease, so that others need not wait for it. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopListening();
    this.#until = -Infinity;
    const { replica } = this.#link;
    const keys = [LEASE_KEY, ADDRESS_KEY].map((name) => this.#link.key(name + replica));
    await this.#link.command("DEL", ...keys).catch(() => {});
    // The others find out at once that it is gone.
    this.#link.publish(CHANNEL, replica);
  }

  async #renew(): Promise<boolean> {
    const { replica } = this.#link;
    const [now, wall] = [performance.now(), Date.now()];
    const wasFresh = this.isFresh;
    const key = (name: string): string => this.#link.key(name);
    const keys = [key(LEASE_KEY + replica), key(ADDRESS_KEY + replica), key("replicas")];
    const prefixes = [key(LEASE_KEY), key(ADDRESS_KEY)];
    let found: unknown[];
    try {
      const args = [replica, this.#sealedAddress, LEASE_MS, ADDRESS_MS, ...prefixes];
      found = (await this.#link.script(RENEW, keys, args)) as unknown[];
    } catch {
      return false;
    }
    const [existed, ...others] = found;
    // Redis can lose everything and be back before the lease ends.
    const hadGap = !wasFresh || existed !== 1;
    if (hadGap) {
      this.#former = this.knownPeers;
      this.#formerUntil = performance.now() + LEASE_MS;
    }
    this.#peers = addressesIn(this.#link, others as string[]);
    if (hadGap) {
      this.#gaps++;
      this.#link.publish(CHANNEL, replica);
    }
    if (wasFresh && existed !== 1) this.#link.reportLoss();
    this.#until = now + LEASE_MS - MARGIN_MS;
    this.#untilWall = wall + LEASE_MS - MARGIN_MS;
    this.#onRenewed(hadGap);
    return true;
  }
}

/** The addresses of the replicas that live, by id, for a command. Rejects if Redis does not answer. */
export async function liveReplicas(link: ClusterLink): Promise<ReadonlyMap<string, string>> {
  const prefixes = [LEASE_KEY, ADDRESS_KEY].map((name) => link.key(name));
  return addressesIn(link, (await link.script(LIVE, [link.key("replicas")], prefixes)) as string[]);
}

function addressesIn(link: ClusterLink, found: readonly string[]): Map<string, string> {
  const addresses = new Map<string, string>();
  for (let i = 0; i < found.length; i += 2) {
    const id = found[i] as string;
    const address = openAddress(link, id, found[i + 1]);
    if (address !== undefined) addresses.set(id, address);
  }
  return addresses;
}

function openAddress(link: ClusterLink, replica: string, sealed: unknown): string | undefined {
  return typeof sealed === "string" ? link.open(sealed, addressPurpose(replica)) : undefined;
}

function addressPurpose(replica: string): string {
  return `address ${replica}`;
}
