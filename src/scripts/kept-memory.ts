import type { ScriptOwner } from "./fair-queue.ts";

const MEGABYTE = 1024 * 1024;
const MIN_UNIT_BYTES = 64 * MEGABYTE;
/** How much may be kept, in scripts of full size: no client has more than a part of it. */
const MAX_UNITS = { client: 3, principal: 4, all: 8 };

/** A script whose memory is kept while it waits without a thread. */
export interface KeptScript {
  readonly owner: ScriptOwner;
  /** Ends the script, because others need its memory. */
  evict(): void;
}

/** The memory of the scripts that wait without a thread. */
export class KeptMemory {
  /** The oldest is the first. */
  readonly #kept = new Map<KeptScript, number>();

  /**
   * Whether the state of one more script can be kept. `memoryMb` is the limit for one script. If
   * all of the memory is used, the principal that uses most of it loses its oldest script.
   */
  makeRoom(owner: ScriptOwner, bytes: number, memoryMb: number): boolean {
    const unit = Math.max(MIN_UNIT_BYTES, memoryMb * MEGABYTE);
    const ofClient = this.#bytes(
      ({ principal, client }) => principal === owner.principal && client === owner.client,
    );
    const ofPrincipal = this.#bytesOf(owner.principal);
    if (ofClient + bytes > MAX_UNITS.client * unit) return false;
    if (ofPrincipal + bytes > MAX_UNITS.principal * unit) return false;
    while (this.#bytes(() => true) + bytes > MAX_UNITS.all * unit) {
      const oldest = this.#oldestOfLargest();
      if (oldest === undefined || this.#bytesOf(oldest.owner.principal) <= ofPrincipal + bytes)
        return false;
      this.remove(oldest);
      oldest.evict();
    }
    return true;
  }

  add(script: KeptScript, bytes: number): void {
    this.#kept.set(script, bytes);
  }

  remove(script: KeptScript): void {
    this.#kept.delete(script);
  }

  #oldestOfLargest(): KeptScript | undefined {
    let largest: KeptScript | undefined;
    let most = 0;
    for (const script of this.#kept.keys()) {
      const bytes = this.#bytesOf(script.owner.principal);
      if (bytes > most) [largest, most] = [script, bytes];
    }
    return largest;
  }

  #bytesOf(principal: string): number {
    return this.#bytes((owner) => owner.principal === principal);
  }

  #bytes(isMeant: (owner: ScriptOwner) => boolean): number {
    let sum = 0;
    for (const [{ owner }, bytes] of this.#kept) if (isMeant(owner)) sum += bytes;
    return sum;
  }
}
