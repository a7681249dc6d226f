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
    let problem: string | undefined;
    try {
      this.#log.add(this.#entryText(ended));
      if (this.#options.settings().required) problem = this.#log.flush();
    } catch (error) {
      problem = reasonOf(error);
      this.#options.warn(`a call could not be recorded in the audit log: ${problem}`);
    }
    const isWithheld = problem !== undefined && this.#options.settings().required;
    return isWithheld && hasResult(outcome) ? unrecorded(problem ?? "") : outcome;
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
    this.#log.close();
  }

  #entryText(ended: EndedCall): string {
    const { settings, redact } = this.#options;
    const { call } = ended;
    const key = (): string => (this.#key ??= hashKey(this.#folder));
    const args = recordedArguments(call, settings().arguments, key, redact);
    return redactedJson(callEntry(ended, args, this.#log.run, this.#sessions.of(call)), redact);
  }
}

function hasResult({ kind }: Outcome): boolean {
  return kind === "response" || kind === "result";
}

function unrecorded(reason: string): Outcome {
  const hint =
    "The call may have taken effect, and its result is withheld. The user has to fix this";
  return failure(workbenchError("AUDIT_UNAVAILABLE", { reason }, hint));
}
