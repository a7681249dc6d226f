import type { ServerSettings } from "../config/types.ts";
import { type WorkbenchError, shortReasonOf, isWorkbenchError, workbenchError } from "../errors.ts";
import type { Call } from "../calls/call.ts";
import type { ServerRef } from "../calls/identifier.ts";
import { truncate } from "../text/truncate.ts";
import { codeOf } from "../text/error-code.ts";
import type { DeliveryFailure } from "../calls/call-errors.ts";
import { redactStart } from "../secrets/redact-start.ts";
import type { Host } from "./host.ts";
import { RetryAfter } from "./transport/retry-after.ts";
import { MAX_PAUSE_MS, RestartPolicy } from "./restart-policy.ts";
import { ServerProblem } from "./server-problem.ts";

/** Characters of an error that are kept for those who ask for the state of a server. */
const MAX_ERROR_CHARS = 1000;

/** What has gone wrong with one server: how it is told, and when the server may be tried again. */
export class ServerFailures {
  readonly #settings: () => ServerSettings;
  readonly #host: Host;
  #policy: RestartPolicy;
  #respite = new RetryAfter();
  #restarts = 0;
  /** True after a failure, until the next start. */
  #isDown = false;
  #lastError: string | undefined;
  #lastErrorCode: string | undefined;
  /** True from a call that failed until one is answered, so that answers need not look further. */
  callsFail = false;

  constructor(settings: () => ServerSettings, host: Host) {
    this.#settings = settings;
    this.#host = host;
    this.#policy = this.#newPolicy();
  }

  /** How often the server was started again after it had failed. */
  get restarts(): number {
    return this.#restarts;
  }

  /** What went wrong last; stays after the server has recovered. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** The stable name of what went wrong last, such as `refused` or `exited`. */
  get lastErrorCode(): string | undefined {
    return this.#lastErrorCode;
  }

  get respite(): RetryAfter {
    return this.#respite;
  }

  /** True while the server may not be tried again. */
  get pausing(): boolean {
    const now = performance.now();
    return this.#policy.waitMs(now) > 0 || this.#respite.leftMs(now) > 0;
  }

  /** The server is another one from now on. */
  forget(): void {
    this.#policy = this.#newPolicy();
    this.#respite = new RetryAfter();
  }

  /** Why the server is not to be tried now; undefined if it may be. */
  refusal(): WorkbenchError | undefined {
    const now = performance.now();
    const wait = this.#policy.waitMs(now);
    const left = this.#respite.leftMs(now);
    // The two end at the same moment where the pause is what the server asked for, but for rounding.
    const held = left > 0 && left > wait - 1 ? this.#respite.failure() : undefined;
    if (held !== undefined) return this.error(withFix(held), held);
    if (wait === 0) return undefined;
    const seconds = Math.ceil(wait / 100) / 10;
    return this.error(
      `${this.#lastError ?? "it failed"}. It failed ${this.#policy.failures} times; next try in ${seconds} s`,
      { code: this.#lastErrorCode },
    );
  }

  /** Somebody wants the server, and it may be tried. */
  tried(): void {
    if (this.#isDown) this.#restarts++;
    this.#isDown = false;
  }

  started(now: number): void {
    this.#policy.started(now);
  }

  /** What was started at this time could not serve, or ended by itself. */
  failed(startedAt: number, reason: string, code: string | undefined): void {
    this.#isDown = true;
    this.noted(reason, code);
    const now = performance.now();
    this.#policy.failed(now, startedAt, this.#respite.leftMs(now));
    const { failures } = this.#policy;
    this.#host.log.warn(`server failed: ${reason}`, { ...this.#place, failures });
  }

  /**
   * The server did not get a call, or its answer could not be had. The log says so once for each kind
   * of failure, until a call is answered again.
   */
  callFailed(call: Call, error: WorkbenchError): void {
    if (isOwn(call)) return;
    const code = codeOf(error);
    const isKnown = this.callsFail && code === this.#lastErrorCode;
    this.callsFail = true;
    this.noted(shortReasonOf(error), code);
    if (isKnown) return;
    this.#host.log.warn(`call failed: ${this.#lastError}`, { ...this.#place, code });
  }

  callAnswered(call: Call): void {
    if (!isOwn(call)) this.callsFail = false;
  }

  /** Something went wrong that those who ask for the state of the server should know. */
  noted(reason: string, code: string | undefined): void {
    // Cut after secrets were taken out: half of one would not be recognised.
    const told = redactStart(this.#host.redact, reason);
    this.#lastError = told.length > MAX_ERROR_CHARS ? truncate(told, MAX_ERROR_CHARS) : told;
    this.#lastErrorCode = code;
  }

  /** Why a connection could not be made, for those who wait for it. */
  describe(error: unknown, stderr: readonly string[]): WorkbenchError {
    if (isWorkbenchError(error) && error.code === "CONNECTION_FAILED") return error;
    const reason = shortReasonOf(error);
    const known = stderr.length === 0 || reason.includes(stderr[stderr.length - 1] as string);
    return this.error(known ? reason : `${reason}. Its last output: ${stderr.join(" | ")}`, error);
  }

  /** What is told if the server says nothing within the time it has to be connected. */
  silence(): ServerProblem {
    const { transport, timeouts } = this.#settings();
    const time = `within ${timeouts.connectMs} ms`;
    return transport.kind === "stdio"
      ? new ServerProblem("connectTimeout", `connection timeout: no answer ${time}`)
      : new ServerProblem(
          "answerTimeout",
          `connection timeout: ${new URL(transport.url).host} did not answer ${time}`,
        );
  }

  error(reason: string, cause?: unknown): WorkbenchError {
    const params = { ...this.#place, reason: redactStart(this.#host.redact, reason) };
    return workbenchError("CONNECTION_FAILED", params, undefined, cause);
  }

  get #place(): ServerRef {
    const { toolbox, name: server } = this.#settings();
    return { toolbox, server };
  }

  /** What is tried costs something else for either kind of server. */
  #newPolicy(): RestartPolicy {
    const isProcess = this.#settings().transport.kind === "stdio";
    return new RestartPolicy(MAX_PAUSE_MS[isProcess ? "process" : "remote"]);
  }
}

/** The failure of a request of the workbench itself is handled where the request is made. */
function isOwn({ origin }: Call): boolean {
  return origin === "workbench";
}

function withFix({ reason, fix }: DeliveryFailure): string {
  return fix === undefined ? reason : `${reason}. ${fix}`;
}
