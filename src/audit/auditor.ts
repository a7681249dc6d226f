import type { ClientCall } from "../calls/call.ts";
import { type Outcome, failure } from "../calls/outcome.ts";
import type { AuditSettings } from "../config/types.ts";
import { reasonOf, workbenchError } from "../errors.ts";
import type { Redact } from "../secrets/redact.ts";
import { recordedArguments } from "./arguments.ts";
import { AuditLog } from "./audit-log.ts";
import { type EndedCall, callEntry } from "./entry.ts";
import { auditFolder } from "./file-names.ts";
import { hashKey } from "./hash-key.ts";
import { redactedJson } from "./redacted-json.ts";
import { SessionNames } from "./session-names.ts";
import { isAudited } from "./subject.ts";

/** How long ended calls are collected at most, how many of them, and how much of what was sent. */
const COLLECT_MS = 10;
const MAX_ENDED = 64;
const MAX_ENDED_BYTES = 256 * 1024;

export interface AuditorOptions {
  /** They may change while it runs. */
  readonly settings: () => AuditSettings;
  readonly redact: Redact;
  readonly warn: (message: string) => void;
  readonly folder?: string;
  readonly now?: () => number;
}

/** Records the calls of one workbench. */
export class Auditor {
  readonly #options: AuditorOptions;
  readonly #folder: string;
  readonly #log: AuditLog;
  readonly #sessions = new SessionNames();
  /** Calls whose entries have not been made. */
  readonly #ended: (readonly [EndedCall, AuditSettings["arguments"]])[] = [];
  #endedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #key: string | undefined;

  constructor(options: AuditorOptions) {
    const { settings, warn, folder = auditFolder(), now } = options;
    this.#options = options;
    this.#folder = folder;
    this.#log = new AuditLog({
      folder,
      retainDays: () => settings().retainDays,
      onProblem: (reason) => {
        const then = settings().required ? "Calls are rejected until it can be" : "Calls continue";
        warn(`the audit log cannot be written: ${reason}. ${then}`);
      },
      ...(now && { now }),
    });
  }

  /**
   * Records how a call ended and returns what its client gets: if the log is required, no result
   * leaves before its entry is written.
   */
  record(ended: EndedCall): Outcome {
    const { call, outcome } = ended;
    if (!isAudited(call)) return outcome;
    if (!this.#options.settings().required) {
      this.#recordLater(ended);
      return outcome;
    }
    const problem = this.#recordNow(ended);
    return problem !== undefined && hasResult(outcome) ? unrecorded(problem) : outcome;
  }

  /** Clients need not wait for the entry, and many entries at once take less than half the time. */
  #recordLater(ended: EndedCall): void {
    // Other settings may be in force when the entry is made.
    this.#ended.push([ended, this.#options.settings().arguments]);
    this.#endedBytes += bytesOf(ended);
    const isMany = this.#ended.length >= MAX_ENDED || this.#endedBytes >= MAX_ENDED_BYTES;
    this.#timer ??= setTimeout(this.#recordEnded, COLLECT_MS);
    if (isMany) this.#immediate ??= setImmediate(this.#recordEnded);
  }

  readonly #recordEnded = (): void => {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
    this.#endedBytes = 0;
    for (const [ended, mode] of this.#ended.splice(0)) this.#add(ended, mode);
  };

  /** Writes an entry; returns why that failed. */
  #recordNow(ended: EndedCall): string | undefined {
    this.#recordEnded();
    return this.#add(ended, this.#options.settings().arguments) ?? this.#log.flush();
  }

  /** Adds an entry to those that will be written; returns why that failed. */
  #add(ended: EndedCall, mode: AuditSettings["arguments"]): string | undefined {
    try {
      this.#log.add(this.#entryText(ended, mode));
      return undefined;
    } catch (error) {
      const problem = reasonOf(error);
      this.#options.warn(`a call could not be recorded in the audit log: ${problem}`);
      return problem;
    }
  }

  /** Why a call must not be executed now; undefined if it can be recorded. */
  refusal(call: ClientCall): Outcome | undefined {
    if (!this.#options.settings().required || !isAudited(call)) return undefined;
    const reason = this.#log.flush();
    if (reason === undefined) return undefined;
    const hint = "The call was not executed. The user has to fix this";
    return failure(workbenchError("AUDIT_UNAVAILABLE", { reason }, hint));
  }

  /** Writes what is not written yet. */
  close(): void {
    this.#recordEnded();
    this.#log.close();
  }

  #entryText(ended: EndedCall, mode: AuditSettings["arguments"]): string {
    const { redact } = this.#options;
    const { call } = ended;
    const key = (): string => (this.#key ??= hashKey(this.#folder));
    const args = recordedArguments(call, mode, key, redact);
    return redactedJson(callEntry(ended, args, this.#log.run, this.#sessions.of(call)), redact);
  }
}

function bytesOf({ call, outcome }: EndedCall): number {
  const answered = outcome.kind === "response" ? outcome.response.bytes : 0;
  return call.request.text.length + answered;
}

function hasResult({ kind }: Outcome): boolean {
  return kind === "response" || kind === "result";
}

function unrecorded(reason: string): Outcome {
  const hint =
    "The call may have taken effect, and its result is withheld. The user has to fix this";
  return failure(workbenchError("AUDIT_UNAVAILABLE", { reason }, hint));
}
