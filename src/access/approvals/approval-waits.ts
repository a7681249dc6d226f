import type { ClientCall } from "../../calls/call.ts";
import { timeLimit } from "../../calls/time-limit.ts";
import { visible } from "../../text/visible.ts";
import { reportWaiting } from "./approval-progress.ts";
import { type ApprovalQuestion, askInForm, canShowForms } from "./approval-question.ts";
import type { ApprovalRecord } from "./approval-record.ts";
import { FileChanges } from "./file-changes.ts";
import {
  type NeededApproval,
  type Standing,
  answerApproval,
  isWatched,
  pendingApprovals,
  standingOf,
} from "./manage-approvals.ts";

type Pending = Extract<Standing, { readonly state: "pending" }>;

/** Calls that wait for the user. They hold no slot of their server, and its time limits do not apply. */
export class ApprovalWaits {
  readonly #file: string;
  readonly #waitMs: () => number;
  readonly #changes: FileChanges;
  /** The questions that clients are being asked, so that a repeated call does not ask again. */
  readonly #asked = new Set<string>();

  constructor(file: string, waitMs: () => number) {
    this.#file = file;
    this.#waitMs = waitMs;
    this.#changes = new FileChanges(file);
  }

  /** Waits until the question is answered anywhere, the time is over or no one can answer. */
  async wait(call: ClientCall, needed: NeededApproval, first: Pending): Promise<Standing> {
    const limit = timeLimit(call.signal, this.#waitMs());
    const stopReports = reportWaiting(call);
    try {
      let standing: Standing = first;
      // A client that gave no decision would give the next form the same answer.
      let mayAsk = canShowForms(call);
      while (standing.state === "pending" && !limit.signal.aborted) {
        const { id } = standing.record;
        const isAnswerable = await this.#waitFor(call, standing.record, mayAsk, limit.signal);
        standing = await standingOf(this.#file, needed);
        const isSame = standing.state === "pending" && standing.record.id === id;
        if (isSame && !isAnswerable) return standing;
        if (isSame) mayAsk = false;
      }
      return standing;
    } finally {
      stopReports();
      limit.end();
    }
  }

  /** Resolves with whether waiting on makes sense, as soon as the question may have been answered. */
  async #waitFor(
    call: ClientCall,
    record: ApprovalRecord,
    mayAsk: boolean,
    over: AbortSignal,
  ): Promise<boolean> {
    const { id } = record;
    const isAsked = this.#asked.has(id);
    const asks = mayAsk && !isAsked;
    if (!asks && !isAsked && !isWatched(this.#file)) return false;
    const ended = new AbortController();
    const answered = this.#whenAnswered(id, AbortSignal.any([over, ended.signal]));
    if (!asks) return answered;
    this.#asked.add(id);
    const question = askInForm(call, record, messageFor(record));
    try {
      const isAnswered = await Promise.race([this.#answer(question, id), answered]);
      return isAnswered || isWatched(this.#file);
    } finally {
      ended.abort();
      question.withdraw();
      this.#asked.delete(id);
    }
  }

  /** Stores the answer of the user of the client; false if there is none. */
  async #answer({ answer }: ApprovalQuestion, id: string): Promise<boolean> {
    const decision = await answer;
    if (decision === undefined) return false;
    await answerApproval(this.#file, id, decision, "elicitation");
    return true;
  }

  /** Other changes of the file do not concern the question. */
  async #whenAnswered(id: string, over: AbortSignal): Promise<boolean> {
    const isPending = (): boolean => pendingApprovals(this.#file).some((one) => one.id === id);
    for (;;) {
      // Watched before it is read, so that no answer is missed in between.
      const changed = this.#changes.next(over);
      if (over.aborted || !isPending()) return true;
      await changed;
    }
  }
}

function messageFor({ tool, server, toolbox, shown, reason }: ApprovalRecord): string {
  const lines = shown.length === 0 ? ["(no arguments)"] : shown;
  return [
    `Allow tool '${visible(tool)}' of server '${server}' (toolbox '${toolbox}')?`,
    ...lines,
    `Why you are asked: ${visible(reason)}`,
  ].join("\n");
}
