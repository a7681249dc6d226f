import type {
  CallObserver,
  ClientCall,
  ClientSession,
  ExchangeObserver,
} from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { reasonOf } from "../../errors.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import { type Environment, exportsSignal, isSdkDisabled } from "../../telemetry/otel-use.ts";
import type { MeasuredWorkbench, OpenedTelemetry } from "./open-telemetry.ts";

/** What the workbench reports to telemetry besides calls. */
export interface SessionWatcher {
  onConnected(server: Server, connection: Connection): void;
  onSessionStarted(session: ClientSession): void;
  onSessionEnded(session: ClientSession): void;
}

export interface ObservableWorkbench extends MeasuredWorkbench {
  readonly watchers: { add(watcher: SessionWatcher): unknown };
}

/** Whether anything is measured or traced: metrics may be read, or the environment asks for an export. */
export function usesTelemetry(env: Environment, recordsMetrics: boolean): boolean {
  if (isSdkDisabled(env)) return false;
  return recordsMetrics || exportsSignal(env, "TRACES") || exportsSignal(env, "METRICS");
}

/** Calls that ended before the code was loaded, which takes milliseconds. */
const MAX_EARLY = 1000;

/**
 * Measures and traces calls. Its code is loaded with the first call or the first reader of metrics, and
 * at once if calls are traced. Whatever goes wrong in it is logged once and never fails a call.
 */
export class LateTelemetry implements CallObserver, ExchangeObserver, SessionWatcher {
  readonly #workbench: ObservableWorkbench;
  readonly #env: Environment;
  readonly #onLoaded: (exchanges: ExchangeObserver) => void;
  readonly #begun = new Map<ClientCall, number>();
  readonly #early: [call: ClientCall, outcome: Outcome, at: number][] = [];
  #loading: Promise<OpenedTelemetry> | undefined;
  #opened: OpenedTelemetry | undefined;
  #hasFailed = false;
  #carrier: object | undefined;
  readonly #sessions = new Set<ClientSession>();

  /** `onLoaded` gets what observes the exchanges with servers. */
  constructor(
    workbench: ObservableWorkbench,
    env: Environment,
    onLoaded: (exchanges: ExchangeObserver) => void,
  ) {
    this.#workbench = workbench;
    this.#env = env;
    this.#onLoaded = onLoaded;
    workbench.watchers.add(this);
  }

  /** Set while the code is loaded without which calls cannot be traced. */
  get preparing(): Promise<void> | undefined {
    if (this.#opened !== undefined || !exportsSignal(this.#env, "TRACES")) return undefined;
    return this.#load().then(
      () => {},
      () => {},
    );
  }

  /** All metrics, in the format of Prometheus. */
  async scrape(): Promise<string> {
    return (await this.#load()).scrape();
  }

  /** Handles an HTTP request; what it starts at once was brought by it. */
  during(headers: object, handle: () => void): void {
    this.#carrier = headers;
    try {
      handle();
    } finally {
      this.#carrier = undefined;
    }
  }

  onStarted(call: ClientCall): void {
    const carrier = this.#carrier;
    if (this.#opened !== undefined)
      this.#guard(({ calls }) => calls.onStarted(call, undefined, carrier));
    else {
      this.#begun.set(call, performance.now());
      this.#load().catch(() => {});
    }
  }

  onSettled(call: ClientCall, outcome: Outcome): Outcome {
    if (this.#opened !== undefined) this.#guard(({ calls }) => calls.onSettled(call, outcome));
    else {
      const at = this.#begun.get(call);
      this.#begun.delete(call);
      if (at !== undefined && this.#early.length < MAX_EARLY) this.#early.push([call, outcome, at]);
    }
    return outcome;
  }

  onSending(call: ClientCall, meta: string | undefined): string | undefined {
    let sent = meta;
    this.#guard(({ calls }) => (sent = calls.onSending(call, meta)));
    return sent;
  }

  onReturned(call: ClientCall, outcome: Outcome): void {
    this.#guard(({ calls }) => calls.onReturned(call, outcome));
  }

  onAsking(question: ServerRequest, call: ClientCall): void {
    this.#guard(({ calls }) => calls.onAsking(question, call));
  }

  onConnected({ place }: Server, connection: Connection): void {
    const at = performance.now();
    connection.onEnded = () => {
      const lost = connection.loss && (connection.loss[1] ?? "lost");
      this.#guard(({ metrics }) => metrics.onServerSession(place, performance.now() - at, lost));
    };
  }

  onSessionStarted(session: ClientSession): void {
    this.#sessions.add(session);
  }

  onSessionEnded(session: ClientSession): void {
    if (!this.#sessions.delete(session)) return;
    const ms = performance.now() - session.startedAt;
    this.#guard(({ metrics }) => metrics.onClientSession(ms, session.protocolVersion));
  }

  /** Exports what is left, in a short time. */
  async close(): Promise<void> {
    const opened = await this.#loading?.catch(() => undefined);
    // The client on standard input leaves with the program.
    for (const session of this.#sessions) this.onSessionEnded(session);
    await opened?.telemetry.close();
  }

  #guard(use: (telemetry: OpenedTelemetry["telemetry"]) => void): void {
    if (this.#opened === undefined) return;
    try {
      use(this.#opened.telemetry);
    } catch (error) {
      if (!this.#hasFailed) this.#workbench.host.log.warn(`telemetry failed: ${reasonOf(error)}`);
      this.#hasFailed = true;
    }
  }

  #load(): Promise<OpenedTelemetry> {
    this.#loading ??= this.#open();
    return this.#loading;
  }

  async #open(): Promise<OpenedTelemetry> {
    try {
      const { openTelemetry } = await import("./open-telemetry.ts");
      const opened = openTelemetry(this.#workbench, this.#env, () => this.#sessions.size);
      this.#opened = opened;
      const { calls } = opened.telemetry;
      for (const [call, outcome, at] of this.#early.splice(0)) {
        this.#guard(() => calls.onStarted(call, at));
        this.#guard(() => calls.onSettled(call, outcome));
      }
      for (const [call, at] of this.#begun) this.#guard(() => calls.onStarted(call, at));
      this.#begun.clear();
      this.#onLoaded(this);
      return opened;
    } catch (error) {
      this.#workbench.host.log.warn(`telemetry cannot be loaded: ${reasonOf(error)}`);
      throw error;
    }
  }
}
