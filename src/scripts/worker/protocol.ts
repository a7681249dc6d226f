/** The messages between the workbench and the thread that runs a script. */
import type {
  EngineImage,
  EngineLimits,
  GuestError,
  GuestRequest,
  ModuleUse,
} from "../engine/engine.ts";

/** How a call of the script ended: a JSON-RPC response in pieces, or a failure of the workbench; or a `sleep`. */
export type CallAnswer =
  | { readonly kind: "response"; readonly pieces: readonly (string | Uint8Array)[] }
  | { readonly kind: "failure"; readonly message: string; readonly code?: string | number }
  | { readonly kind: "slept" };

export interface StartMessage {
  readonly kind: "start";
  readonly source: string;
  readonly module: ModuleUse | undefined;
  readonly input: string;
  readonly results: Readonly<Record<string, string>>;
  readonly limits: EngineLimits;
  /** A longer value is cut before it leaves the thread. */
  readonly maxKeptChars: number;
}

/** A script between two answers, as it can be continued in another thread. */
export interface ScriptState {
  readonly image: EngineImage;
  readonly limits: EngineLimits;
  readonly maxKeptChars: number;
  /** The requests that have no answer yet. */
  readonly open: readonly GuestRequest[];
  readonly log: readonly string[];
  readonly logChars: number;
  readonly droppedChars: number;
  readonly media: readonly (readonly [string, string])[];
  readonly mediaChars: number;
  readonly emitted: readonly string[];
}

export type ToWorker =
  | StartMessage
  | { readonly kind: "settle"; readonly id: number; readonly answer: CallAnswer }
  /** Asks for the state of the script, which ends here. */
  | { readonly kind: "suspend" }
  | { readonly kind: "resume"; readonly state: ScriptState }
  /** The script is no longer needed. */
  | { readonly kind: "drop" };

/** What a script leaves behind when it ends. */
export interface ScriptOutput {
  /** Undefined if it returned nothing, or did not get that far. */
  readonly value: string | undefined;
  /** The length of the value, of which a part may be left out. */
  readonly valueChars: number;
  readonly log: string;
  /** The length of what was printed, of which the end may be left out. */
  readonly logChars: number;
  /** Media blocks as JSON. */
  readonly emitted: readonly string[];
  readonly cpuMs: number;
  /** Calls that waited for their turn when it ended. */
  readonly unsent?: number;
}

export type EndKind =
  | { readonly kind: "value" }
  | { readonly kind: "error"; readonly error: GuestError }
  | { readonly kind: "limit"; readonly limit: "cpuMs" | "memoryMb" }
  | { readonly kind: "stalled" }
  /** The engine failed. */
  | { readonly kind: "broken"; readonly reason: string };

export type FromWorker =
  | { readonly kind: "request"; readonly request: GuestRequest }
  | { readonly kind: "end"; readonly end: EndKind; readonly output: ScriptOutput }
  /** Undefined if the script cannot be stopped now. */
  | { readonly kind: "suspended"; readonly state: ScriptState | undefined };

/** What the thread shares: since when the script runs (0 if it does not), and for how long it did before. */
export const SHARED = { enteredAt: 0, usedMs: 1, length: 2 } as const;

/** Milliseconds on a clock that all threads share. */
export function sharedNow(): bigint {
  return process.hrtime.bigint() / 1_000_000n;
}
