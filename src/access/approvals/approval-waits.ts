import type { ClientCall } from "../../calls/call.ts";
import { timeLimit } from "../../calls/time-limit.ts";
import { visible } from "../../text/visible.ts";
import { type StateFile, pathOf } from "../state-file.ts";
import { reportWaiting } from "./approval-progress.ts";
import { askInForm, canShowForms } from "./approval-question.ts";
import type { ApprovalRecord } from "./approval-record.ts";
import { FileChanges } from "./file-changes.ts";
import {
  type NeededApproval,
  type Standing,
  answerForCall,
  isWatched,
  pendingApprovals,
  standingOf,
} from "./manage-approvals.ts";

type Pending = Extract<Standing, { readonly state: "pending" }>;

/** Calls that wait for the user. They hold no slot of their server, and its time limits do not apply. */
export class ApprovalWaits {
  readonly #file: StateFile;
  readonly #waitMs: () => number;
  readonly #changes: FileChanges;
  /** The questions that clients are being asked, so that a repeated call does not ask again; aborted when the form is closed. */
  readonly #forms = new Map<string, AbortSignal>();

  constructor(file: StateFile, waitMs: () => number) {
    this.#file = file;
    this.#waitMs = waitMs;
    this.#changes = new FileChanges(pathOf(file));
  }

  /** Waits until the question is answered anywhere, the time is over or no one can answer. */
  async wait(call: ClientCall, needed: NeededApproval, first: Pending): Promise<Standing> {
    const limit = timeLimit(call.signal, this.#waitMs());
    const over = limit.signal;
    const stopReports = reportWaiting(call);
    try {
      let standing: Standing = first;
      // A client that gave no decision would give the next form the same answer.
      let mayAsk = canShowForms(call);
      while (standing.state === "pending" && !over.aborted) {
        const { record }: Pending = standing;
        const form = this.#forms.get(record.id);
        const asks = mayAsk && form === undefined;
        if (asks) standing = await this.#ask(call, needed, record, over);
        else {
          if (form === undefined && !isWatched(this.#file)) return standing;
          await this.#whenAnswered(record.id, form ? AbortSignal.any([over, form]) : over);
          standing = await standingOf(this.#file, needed);
        }
        const isSame = standing.state === "pending" && standing.record.id === record.id;
        if (isSame && asks) mayAsk = false;
      }
      return standing;
    } finally {
      stopReports();
      limit.end();
    }
  }

  /** Asks the user of the client, until the question is answered anywhere. */
  async #ask(
    call: ClientCall,
    needed: NeededApproval,
    record: ApprovalRecord,
    over: AbortSignal,
  ): Promise<Standing> {
    const { id } = record;
    const closed = new AbortController();
    this.#forms.set(id, closed.signal);
    const elsewhere = this.#whenAnswered(id, AbortSignal.any([over, closed.signal]));
    const question = askInForm(call, record, messageFor(record));
    try {
      const decision = await Promise.race([question.answer, elsewhere]);
      question.withdraw();
      if (decision === undefined) return await standingOf(this.#file, needed);
      const answer = { decision, channel: "elicitation" };
      return await answerForCall(this.#file, id, answer, needed);
    } finally {
      question.withdraw();
      this.#forms.delete(id);
      closed.abort();
    }
  }

  /** Other changes of the file do not concern the question. */
  async #whenAnswered(id: string, over: AbortSignal): Promise<undefined> {
    const isPending = (): boolean => pendingApprovals(this.#file).some((one) => one.id === id);
    for (;;) {
      // Watched before it is read, so that no answer is missed in between.
      const changed = this.#changes.next(over);
      if (over.aborted || !isPending()) return undefined;
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
