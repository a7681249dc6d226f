import { createHash, randomBytes } from "node:crypto";

import { Redis, type RedisOptions } from "ioredis";

import type { ClusterSettings } from "../config/types.ts";
import { reasonOf, workbenchError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { ClusterLink } from "./cluster-link.ts";
import { Keyring } from "./keyring.ts";

/** A replica decides without Redis if it takes longer than this. */
const COMMAND_MS = 2_000;
const CONNECT_MS = 3_000;
const MAX_RETRY_MS = 1_000;
const ID_BYTES = 9;
/** Redis answers, but takes no changes: it is full, a copy of another one, or cannot write to its disk. */
const REFUSES =
  /(?:^|-)(?:OOM|READONLY|MISCONF|NOREPLICAS|LOADING|MASTERDOWN|CLUSTERDOWN|NOPERM)\b/;
const PROBE_MS = 1_000;
/** How often the time is read: the clock of a machine that was paused stood still. */
const TIME_MS = 30_000;

const OPTIONS = {
  protocol: 2 as const,
  connectTimeout: CONNECT_MS,
  commandTimeout: COMMAND_MS,
  // What was asked while Redis was away is decided without it, and must not happen later.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (times: number) => Math.min(MAX_RETRY_MS, 50 * times),
  disableClientInfo: true,
} satisfies RedisOptions;

type Argument = string | number | Buffer;

/** What a link is for. A command has no address at which other replicas reach it. */
export type LinkRole = "replica" | "command";

/** Connects to the Redis of a cluster; throws if the settings cannot be used. */
export function openClusterLink(
  settings: ClusterSettings,
  role: LinkRole,
  log: Logger,
): ClusterLink {
  const { redis, advertise, keys } = settings;
  const needed = { redis, keys: keys.join(" "), ...(role === "replica" && { advertise }) };
  for (const [name, text] of Object.entries(needed)) {
    const missing = /\$\{([^}]*)\}/.exec(text)?.[1];
    if (missing !== undefined)
      throw workbenchError("CLUSTER_UNUSABLE", {
        reason: `the variable ${missing} in 'cluster.${name}' is not set`,
      });
  }
  return new RedisLink(settings, log);
}

class RedisLink implements ClusterLink {
  readonly replica = randomBytes(ID_BYTES).toString("base64url");
  readonly advertise: string;
  readonly started: Promise<void>;
  readonly #prefix: string;
  readonly #keyring: Keyring;
  readonly #redis: Redis;
  readonly #log: Logger;
  readonly #upListeners = new Set<() => void>();
  readonly #subscriptions = new Map<string, Set<(message: string) => void>>();
  readonly #digests = new Map<string, string>();
  #subscriber: Redis | undefined;
  #isUp = false;
  /** What has to be added to the time since this process started, to get the time of Redis. */
  #timeOrigin: number | undefined;
  #wasReported = false;
  #nextProbe: NodeJS.Timeout | undefined;
  readonly #timeTimer = setInterval(() => {
    if (this.#isUp) void this.#readTime();
  }, TIME_MS).unref();

  constructor({ redis, advertise, keys, name }: ClusterSettings, log: Logger) {
    this.advertise = advertise;
    // The braces keep all keys together in a Redis that is divided by keys.
    this.#prefix = `mwb:{${name}}:`;
    this.#keyring = new Keyring(keys);
    this.#log = log;
    this.#redis = new Redis(redis, OPTIONS);
    this.#redis.on("ready", () => void this.#probe());
    this.#redis.on("close", () => this.#onAway("the connection was closed"));
    this.#redis.on("error", (error: Error) => this.#onAway(reasonOf(error)));
    this.started = new Promise((resolve) => {
      const timer = setTimeout(resolve, CONNECT_MS);
      const stop = this.onUp(() => {
        clearTimeout(timer);
        stop();
        resolve();
      });
    });
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get now(): number {
    return this.#timeOrigin === undefined ? Date.now() : this.#timeOrigin + performance.now();
  }

  key(name: string): string {
    return this.#prefix + name;
  }

  seal(text: string, purpose: string): string {
    return this.#keyring.seal(text, purpose);
  }

  open(sealed: string, purpose: string): string | undefined {
    return this.#keyring.open(sealed, purpose);
  }

  isCurrent(sealed: string, purpose: string): boolean {
    return this.#keyring.isCurrent(sealed, purpose);
  }

  sign(text: string, purpose: string): string {
    return this.#keyring.sign(text, purpose);
  }

  codes(text: string, purpose: string): readonly string[] {
    return this.#keyring.codes(text, purpose);
  }

  verify(signature: string, text: string, purpose: string): boolean {
    return this.#keyring.verify(signature, text, purpose);
  }

  async command(name: string, ...args: readonly Argument[]): Promise<unknown> {
    if (!this.#isUp) throw new Error("Redis is not reachable");
    try {
      return await this.#redis.call(name, ...args);
    } catch (error) {
      // A server that accepts commands and never answers is away, too.
      const reason = reasonOf(error);
      if (REFUSES.test(reason)) this.#onRefused(reason);
      if (/timed out/.test(reason)) {
        this.#onAway("it does not answer");
        this.#redis.disconnect(true);
        this.#redis.stream?.destroy();
      }
      throw error;
    }
  }

  async script(lua: string, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const digest = this.#digests.get(lua) ?? createHash("sha1").update(lua).digest("hex");
    this.#digests.set(lua, digest);
    try {
      return await this.command("EVALSHA", digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!reasonOf(error).startsWith("NOSCRIPT")) throw error;
      return this.command("EVAL", lua, keys.length, ...keys, ...args);
    }
  }

  publish(channel: string, message: string): void {
    const sealed = this.seal(message, `channel ${channel}`);
    // Listeners reload what they need when Redis is back.
    this.command("PUBLISH", this.key(channel), sealed).catch(() => {});
  }

  subscribe(channel: string, listener: (message: string) => void): () => void {
    const known = this.#subscriptions.get(channel);
    const listeners = known ?? new Set();
    listeners.add(listener);
    if (known === undefined) {
      this.#subscriptions.set(channel, listeners);
      this.#requestMessages(channel);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#subscriptions.get(channel) !== listeners) return;
      this.#subscriptions.delete(channel);
      this.#subscriber?.unsubscribe(this.key(channel)).catch(() => {});
    };
  }

  onUp(listener: () => void): () => void {
    this.#upListeners.add(listener);
    if (this.#isUp) listener();
    return () => this.#upListeners.delete(listener);
  }

  reportLoss(): void {
    for (const listener of this.#upListeners) listener();
  }

  async close(): Promise<void> {
    this.#isUp = false;
    clearTimeout(this.#nextProbe);
    clearInterval(this.#timeTimer);
    this.#upListeners.clear();
    this.#subscriptions.clear();
    const quit = (redis: Redis | undefined): Promise<unknown> | undefined =>
      redis?.quit().catch(() => redis.disconnect());
    await Promise.all([quit(this.#redis), quit(this.#subscriber)]);
  }

  /** Redis counts as reachable when it takes changes, in the database that is meant. */
  async #probe(): Promise<void> {
    clearTimeout(this.#nextProbe);
    const { db = 0 } = this.#redis.options;
    try {
      // The client does not check this.
      if (db > 0) await this.#redis.call("SELECT", db);
      await this.#redis.call("SET", this.key(`probe:${this.replica}`), "1", "PX", PROBE_MS);
    } catch (error) {
      this.#onRefused(reasonOf(error));
      return;
    }
    await this.#readTime();
    this.#onReady();
  }

  async #readTime(): Promise<void> {
    try {
      const [seconds, microseconds] = (await this.#redis.call("TIME")) as string[];
      const now = Number(seconds) * 1000 + Number(microseconds) / 1000;
      if (Number.isFinite(now)) this.#timeOrigin = now - performance.now();
    } catch {
      // The clocks of the machines then have to agree.
    }
  }

  #onRefused(reason: string): void {
    this.#onAway(reason);
    clearTimeout(this.#nextProbe);
    if (this.#redis.status !== "ready") return;
    const again = (): void => {
      // Its name may lead to another one by now.
      if (reason.includes("READONLY")) this.#redis.disconnect(true);
      else void this.#probe();
    };
    this.#nextProbe = setTimeout(again, PROBE_MS).unref();
  }

  #onReady(): void {
    if (this.#redis.status !== "ready") return;
    this.#isUp = true;
    if (this.#wasReported) this.#log.warn("Redis is reachable again");
    this.#wasReported = false;
    for (const listener of this.#upListeners) listener();
  }

  #onAway(reason: string): void {
    this.#isUp = false;
    if (this.#wasReported || this.#redis.status === "end") return;
    this.#wasReported = true;
    this.#log.warn(`Redis is not reachable: ${reason}. This replica continues without the others`);
  }

  /** A connection with subscriptions cannot be used for commands. */
  #requestMessages(channel: string): void {
    if (this.#subscriber !== undefined) {
      // If it is away, it subscribes to all channels when it is back.
      this.#subscriber.subscribe(this.key(channel)).catch(() => {});
      return;
    }
    const subscriber = this.#redis.duplicate({ ...OPTIONS, autoResubscribe: false });
    this.#subscriber = subscriber;
    subscriber.on("error", () => {});
    subscriber.on("message", (key: string, sealed: string) => this.#onMessage(key, sealed));
    subscriber.on("ready", () => {
      const keys = Array.from(this.#subscriptions.keys(), (name) => this.key(name));
      subscriber.subscribe(...keys).then(
        () => {
          // What was published before now is lost.
          if (this.#isUp) for (const listener of this.#upListeners) listener();
        },
        () => {},
      );
    });
  }

  #onMessage(key: string, sealed: string): void {
    const channel = key.slice(this.#prefix.length);
    const message = this.open(sealed, `channel ${channel}`);
    if (message === undefined) return;
    for (const listener of this.#subscriptions.get(channel) ?? []) listener(message);
  }
}
