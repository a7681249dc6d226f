/** Replicas of the built program with a real Redis, behind a real HAProxy that sends each request to the next one. */
import { randomBytes } from "node:crypto";

import type { Disposables } from "./disposables.ts";
import { freePort } from "./free-port.ts";
import { HAS_HAPROXY, startHaproxy } from "./haproxy.ts";
import { HttpClient } from "./http-client.ts";
import {
  type HttpWorkbench,
  type HttpWorkbenchOptions,
  startHttpWorkbench,
} from "./http-workbench.ts";
import { HAS_REDIS, TestRedis } from "./redis.ts";
import type { Config } from "./servers.ts";

/** Without both programs, the tests that need them are skipped, with a message. */
export const HAS_CLUSTER = HAS_REDIS && HAS_HAPROXY;
if (!HAS_CLUSTER)
  console.warn(
    "Tests with replicas are skipped: redis-server and haproxy (packages of Debian) are not installed.",
  );

const TOKEN_VARIABLE = "WB_CLUSTER_TOKEN";

export interface ClusterOptions extends Omit<HttpWorkbenchOptions, "address"> {
  /** How many replicas there are; 3 unless told. */
  readonly replicas?: number;
  /** Further settings of `cluster`. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

export interface Replica extends HttpWorkbench {
  readonly index: number;
}

/** The configuration of all replicas, which may depend on the address of the load balancer. */
export type ClusterConfig = Config | ((url: string) => Config);

export class ClusterRig {
  readonly redis: TestRedis;
  /** The address of the load balancer, without a path. */
  readonly url: string;
  /** The token of the owner, which all replicas accept. */
  readonly token = randomBytes(24).toString("base64url");
  /** 32 bytes in base64, which all replicas have. */
  readonly key = randomBytes(32).toString("base64");
  readonly replicas: Replica[] = [];
  readonly #disposables: Disposables;
  readonly #config: ClusterConfig;
  readonly #options: ClusterOptions;
  readonly #ports: readonly number[];

  private constructor(
    disposables: Disposables,
    config: ClusterConfig,
    options: ClusterOptions,
    redis: TestRedis,
    [port = 0, ...ports]: readonly number[],
  ) {
    this.#disposables = disposables;
    this.#config = config;
    this.#options = options;
    this.redis = redis;
    this.url = `http://127.0.0.1:${port}`;
    this.#ports = ports;
  }

  static async start(
    disposables: Disposables,
    config: ClusterConfig,
    options: ClusterOptions = {},
  ): Promise<ClusterRig> {
    const { replicas = 3 } = options;
    const ports: number[] = [];
    for (let i = 0; i <= replicas; i++) ports.push(await freePort());
    const redis = await TestRedis.start(disposables);
    const rig = new ClusterRig(disposables, config, options, redis, ports);
    await Promise.all(rig.#ports.map((_, index) => rig.startReplica(index)));
    await startHaproxy(disposables, ports[0] ?? 0, rig.#ports);
    return rig;
  }

  /** Starts a replica at the place of the one before. */
  async startReplica(index: number): Promise<Replica> {
    const port = this.#ports[index] ?? 0;
    const { args = [], env = {}, before, cluster = {} } = this.#options;
    const proxy = new URL(this.url).host;
    const settings = {
      redis: this.redis.url,
      advertise: `http://127.0.0.1:${port}`,
      keys: [this.key],
      drainMs: 20_000,
      ...cluster,
    };
    const started = await startHttpWorkbench(
      this.#disposables,
      { ...this.#configFor(this.url), cluster: settings },
      {
        args: ["--allow-host", proxy, "--token-env", TOKEN_VARIABLE, ...args],
        env: { ...env, [TOKEN_VARIABLE]: this.token },
        address: `127.0.0.1:${port}`,
        ...(before && { before }),
      },
    );
    const replica = { ...started, index };
    this.replicas[index] = replica;
    return replica;
  }

  #configFor(url: string): Config {
    return typeof this.#config === "function" ? this.#config(url) : this.#config;
  }

  /** A client of the load balancer without a session yet; each of its requests reaches another replica. */
  client(path = "/mcp"): HttpClient {
    return new HttpClient(`${this.url}${path}`, this.token);
  }

  /** A client of one replica. */
  clientOf(index: number, path = "/mcp"): HttpClient {
    return new HttpClient(`${this.replicas[index]?.url ?? ""}${path}`, this.token);
  }
}
