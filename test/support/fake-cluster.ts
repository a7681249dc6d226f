/** A cluster in memory, for unit tests of what replicas share. Redis itself is used by test/cluster. */
import type { ClusterLink } from "../../src/cluster/cluster-link.ts";

/** What Redis stores, for all links to it. */
export class FakeCluster {
  readonly texts = new Map<string, string>();
  readonly hashes = new Map<string, Map<string, string>>();
  readonly links = new Set<FakeLink>();

  link(replica?: string, advertise?: string): FakeLink {
    const link = new FakeLink(this, replica, advertise);
    this.links.add(link);
    return link;
  }
}

/** The link of one replica. Knows the commands that the tests need, and the script that records changes of a lock file. */
export class FakeLink implements ClusterLink {
  /** The first one signs. */
  keys: readonly string[] = [""];
  readonly replica: string;
  readonly advertise: string;
  readonly started = Promise.resolve();
  readonly listeners = new Set<() => void>();
  readonly subscriptions = new Map<string, Set<(message: string) => void>>();
  #isUp = true;
  readonly #cluster: FakeCluster;

  constructor(cluster: FakeCluster, replica = "replica", advertise = "http://127.0.0.1:1") {
    this.#cluster = cluster;
    this.replica = replica;
    this.advertise = advertise;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  set isUp(isUp: boolean) {
    this.#isUp = isUp;
    if (isUp) for (const listener of this.listeners) listener();
  }

  get now(): number {
    return Date.now();
  }

  key(name: string): string {
    return name;
  }

  seal(text: string, purpose: string): string {
    return `${purpose} ${text}`;
  }

  open(sealed: string, purpose: string): string | undefined {
    return sealed.startsWith(`${purpose} `) ? sealed.slice(purpose.length + 1) : undefined;
  }

  isCurrent(): boolean {
    return true;
  }

  sign(text: string, purpose: string): string {
    return this.codes(text, purpose)[0] ?? "";
  }

  codes(text: string, purpose: string): string[] {
    return this.keys.map((key) => Buffer.from(`${key}${purpose} ${text}`).toString("base64url"));
  }

  verify(signature: string, text: string, purpose: string): boolean {
    return signature === this.sign(text, purpose);
  }

  async command(name: string, key: string, ...args: readonly unknown[]): Promise<unknown> {
    if (!this.#isUp) throw new Error("Redis is not reachable");
    const { texts, hashes } = this.#cluster;
    if (name === "GET") return texts.get(key) ?? null;
    if (name === "HGET") return hashes.get(key)?.get(String(args[0])) ?? null;
    if (name !== "SET") throw new Error(`unknown command ${name}`);
    texts.set(key, String(args[0]));
    return "OK";
  }

  async script(
    _lua: string,
    [key = ""]: readonly string[],
    [field, known, value]: readonly unknown[],
  ): Promise<unknown> {
    if (!this.#isUp) throw new Error("Redis is not reachable");
    const fields = this.#cluster.hashes.get(key) ?? new Map<string, string>();
    this.#cluster.hashes.set(key, fields);
    if (Number.parseInt(fields.get(String(field)) ?? "0", 10) > Number(known)) return 0;
    const number =
      Math.max(0, ...Array.from(fields.values(), (text) => Number.parseInt(text, 10))) + 1;
    fields.set(String(field), `${number}:${String(value)}`);
    return number;
  }

  publish(channel: string, message: string): void {
    for (const { subscriptions, isUp } of this.#cluster.links)
      if (isUp) for (const listener of subscriptions.get(channel) ?? []) listener(message);
  }

  subscribe(channel: string, listener: (message: string) => void): () => void {
    const listeners = this.subscriptions.get(channel) ?? new Set();
    this.subscriptions.set(channel, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  onUp(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  reportLoss(): void {
    for (const listener of this.listeners) listener();
  }

  async close(): Promise<void> {}
}
