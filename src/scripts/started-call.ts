import type { CallAnswer } from "./worker/protocol.ts";

/** A call that a script has made. */
export interface StartedCall {
  cancel(reason: string): void;
  /** Whether its server has it, or has had it. */
  isSent(): boolean;
  /** Whether the tool may have changed something by now. */
  mayHaveChanged(): boolean;
}

export interface SettledCall {
  readonly answer: CallAnswer;
  readonly isFailure: boolean;
  /** It was not a call of a tool at all, so that it does not count as one. */
  readonly isRefused?: boolean;
  readonly mayHaveChanged: boolean;
}

/** Starts a call of a tool; `path` is what the script wrote. */
export type StartCall = (
  path: string,
  args: string,
  onSettled: (settled: SettledCall) => void,
) => StartedCall;
