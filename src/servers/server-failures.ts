import type { ServerSettings } from "../config/types.ts";
import { type WorkbenchError, shortReasonOf, isWorkbenchError, workbenchError } from "../errors.ts";
import type { Call } from "../calls/call.ts";
import type { ServerRef } from "../calls/identifier.ts";
import { neededSignIn, signInErrorOf } from "../calls/sign-in-error.ts";
import { truncate } from "../text/truncate.ts";
import { codeOf } from "../text/error-code.ts";
import type { DeliveryFailure } from "../calls/call-errors.ts";
import { redactStart } from "../secrets/redact-start.ts";
import { withheldAdvice, withheldVariables } from "../secrets/withheld-variables.ts";
import type { Host } from "./host.ts";
import { RetryAfter } from "./transport/retry-after.ts";
import { MAX_PAUSE_MS, RestartPolicy } from "./restart-policy.ts";
import { ServerProblem } from "./server-problem.ts";
import { processEnvironment } from "./transport/stdio/environment.ts";

const RETRY_HINT = "It continues in the background; try again in about 20 s";

/** How many characters of an error are kept for the status of a server. */
const MAX_ERROR_CHARS = 1000;

/** The failures of one server: how they are reported, and when the server may be tried again. */
export class ServerFailures {
  readonly #settings: () => ServerSettings;
  readonly #host: Host;
  #policy: RestartPolicy;
  #retryAfter = new RetryAfter();
  #restarts = 0;
  /** True after a failure, until the next start. */
  #isDown = false;
  #lastError: string | undefined;
  #lastErrorCode: string | undefined;
  /** True from a failed call until one is answered, so that answers need no further check. */
  callsFail = false;

  constructor(settings: () => ServerSettings, host: Host) {
    this.#settings = settings;
    this.#host = host;
    this.#policy = this.#newPolicy();
  }

  /** The number of restarts after a failure. */
  get restarts(): number {
    return this.#restarts;
  }

  /** The last failure; kept after the server has recovered. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** The stable name of the last failure, such as `refused` or `exited`. */
  get lastErrorCode(): string | undefined {
    return this.#lastErrorCode;
  }

  get retryAfter(): RetryAfter {
    return this.#retryAfter;
  }

  /** True while the server must not be tried again. */
  get pausing(): boolean {
    const now = performance.now();
    return this.#policy.waitMs(now) > 0 || this.#retryAfter.leftMs(now) > 0;
  }

  /** The configuration now means a different server. */
  forget(): void {
    this.#policy = this.#newPolicy();
    this.#retryAfter = new RetryAfter();
  }

  /** Why the server must not be tried now; undefined if it may be. */
  refusal(): WorkbenchError | undefined {
    const now = performance.now();
    const wait = this.#policy.waitMs(now);
    const left = this.#retryAfter.leftMs(now);
    // If the pause is the one the server asked for, both end at the same moment, apart from
    // rounding.
    const held = left > 0 && left > wait - 1 ? this.#retryAfter.failure() : undefined;
    if (held !== undefined) return this.error(withFix(held), held);
    if (wait === 0) return undefined;
    const seconds = Math.ceil(wait / 100) / 10;
    return this.error(
      `${this.#lastError ?? "it failed"}. It failed ${this.#policy.failures} times; next try in ${seconds} s`,
      { code: this.#lastErrorCode },
    );
  }

  /** A caller needs the server, and it may be tried. */
  tried(): void {
    if (this.#isDown) this.#restarts++;
    this.#isDown = false;
  }

  started(now: number): void {
    this.#policy.started(now);
  }

  /** The process or connection started at this time failed or ended. */
  failed(startedAt: number, reason: string, code: string | undefined): void {
    this.#isDown = true;
    this.noted(reason, code);
    const now = performance.now();
    this.#policy.failed(now, startedAt, this.#retryAfter.leftMs(now));
    const { failures } = this.#policy;
    this.#host.log.warn(`server failed: ${reason}`, { ...this.#place, failures });
  }

  /** The server answers, and waits for the user. That is not a failure, so earlier ones are over. */
  askedForSignIn(): void {
    this.#policy = this.#newPolicy();
  }

  /**
   * A call did not reach the server, or its answer was lost. Logged once for each kind of failure,
   * until a call is answered again.
   */
  callFailed(call: Call, error: WorkbenchError): void {
    if (isOwn(call) || neededSignIn(error) !== undefined) return;
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

  /** Records a failure for the status of the server. */
  noted(reason: string, code: string | undefined): void {
    // Cut after secrets are removed: half a secret would not be recognised.
    const redacted = redactStart(this.#host.redact, reason);
    this.#lastError =
      redacted.length > MAX_ERROR_CHARS ? truncate(redacted, MAX_ERROR_CHARS) : redacted;
    this.#lastErrorCode = code;
  }

  /** Why a connection could not be made, for its callers. */
  describe(error: unknown, stderr: readonly string[], hint?: string): WorkbenchError {
    if (isWorkbenchError(error) && error.code === "CONNECTION_FAILED") return error;
    const signIn = signInErrorOf(error);
    if (signIn !== undefined) return signIn;
    const reason = shortReasonOf(error);
    const known = stderr.length === 0 || reason.includes(stderr[stderr.length - 1] as string);
    const full = known ? reason : `${reason}. Its last output: ${stderr.join(" | ")}`;
    return this.error(full, error, hint ?? this.#withheldAdvice(stderr));
  }

  /** The error if the server is silent for the time it has to connect. */
  silence(): ServerProblem {
    const { transport, timeouts } = this.#settings();
    const time = `within ${timeouts.connectMs} ms`;
    return transport.kind === "stdio" || transport.kind === "scripts"
      ? new ServerProblem("connectTimeout", `connection timeout: no answer ${time}`)
      : new ServerProblem(
          "answerTimeout",
          `connection timeout: ${new URL(transport.url).host} did not answer ${time}`,
        );
  }

  /** The error if the download of a server takes too long. */
  stuckDownload(launcher: string, ms: number): ServerProblem {
    const seconds = Math.round(ms / 1000);
    return new ServerProblem(
      "downloadTimeout",
      `${launcher} did not start it within ${seconds} s; its download may be stuck`,
    );
  }

  /** For a caller that cannot wait for a download, which continues. */
  stillDownloading(launcher: string, ms: number): WorkbenchError {
    const reason = `${launcher} is still downloading or preparing it (${Math.round(ms / 1000)} s so far)`;
    return workbenchError("SERVER_STARTING", { ...this.#place, reason }, RETRY_HINT);
  }

  error(reason: string, cause?: unknown, hint?: string): WorkbenchError {
    const params = { ...this.#place, reason: redactStart(this.#host.redact, reason) };
    return workbenchError("CONNECTION_FAILED", params, hint, cause);
  }

  /** Advice for a server that asks for a variable which the workbench has but does not pass on. */
  #withheldAdvice(stderr: readonly string[]): string | undefined {
    const { transport, inheritEnv } = this.#settings();
    if (transport.kind !== "stdio" || stderr.length === 0) return undefined;
    try {
      const passed = Object.keys(processEnvironment(transport, inheritEnv));
      return withheldAdvice(withheldVariables(stderr, process.env, passed), inheritEnv);
    } catch {
      // Its envFile is gone by now; the next start reports that.
      return undefined;
    }
  }

  get #place(): ServerRef {
    const { toolbox, name: server } = this.#settings();
    return { toolbox, server };
  }

  /** Starting a process and opening a connection have different costs. */
  #newPolicy(): RestartPolicy {
    const { kind } = this.#settings().transport;
    const isHere = kind === "stdio" || kind === "scripts";
    return new RestartPolicy(MAX_PAUSE_MS[isHere ? "process" : "remote"]);
  }
}

/** A failed request of the workbench itself is handled where the request is made. */
function isOwn({ origin }: Call): boolean {
  return origin === "workbench";
}

function withFix({ reason, fix }: DeliveryFailure): string {
  return fix === undefined ? reason : `${reason}. ${fix}`;
}
