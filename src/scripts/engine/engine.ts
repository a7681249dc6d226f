/** A sandbox for one script. Everything that enters and leaves it is a string or a number. */

/** A module instead of the body of a function: its exports are read, or its function `run` is called. */
export type ModuleUse = "describe" | "run";

/** What a script is started with. */
export interface ScriptStart {
  /** The body of an async function, or a module. */
  readonly source: string;
  /** Set if it is a module. */
  readonly module?: ModuleUse | undefined;
  /** The value of `input`, as JSON. */
  readonly input: string;
  /** The stored results that it may read, by id: JSON, or any other text. */
  readonly results: Readonly<Record<string, string>>;
}

export interface EngineLimits {
  readonly memoryMb: number;
  readonly cpuMs: number;
  readonly calls: number;
  readonly parallel: number;
}

/** What a script asks its host for. It gets the answer by `settle`. */
export interface GuestRequest {
  readonly id: number;
  readonly kind: "call" | "raw" | "sleep";
  /** The tool, or the number of milliseconds. */
  readonly subject: string;
  /** The arguments of the tool, as JSON. */
  readonly args: string;
}

/** There is no media block with this id, or all of them are too large together. */
export type EmitProblem = "unknown" | "too large";

export interface EngineHost {
  onRequest(request: GuestRequest): void;
  onLog(text: string): void;
  /** Adds a media block to the result; returns why it was not added. */
  onEmit(media: string): EmitProblem | undefined;
  /** Called before and after the script runs, so that its time can be measured from outside. */
  onEnter(): void;
  onLeave(): void;
}

/** The answer to a request: JSON, a text that may be JSON, or an error as JSON. */
export interface GuestAnswer {
  readonly kind: "json" | "text" | "error";
  readonly text: string;
}

/** An error of the script, as it describes itself. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** The script threw something that has no stack. */
  readonly isValue?: boolean;
  /** It is that of another script that it called, and its message says where. */
  readonly isNested?: boolean;
  /** It is about what the script returned. */
  readonly isReturned?: boolean;
}

/** How a script ended. */
export type ScriptEnd =
  /** `text` is undefined if it returned nothing; `unsent` counts calls that waited for their turn. */
  | { readonly kind: "value"; readonly text: string | undefined; readonly unsent?: number }
  | { readonly kind: "error"; readonly error: GuestError; readonly unsent?: number }
  | { readonly kind: "limit"; readonly limit: "cpuMs" | "memoryMb" }
  /** Nothing can happen in it any more, although it has not ended. */
  | { readonly kind: "stalled" };

/** A script that was stopped between two answers. Valid only for the same version of the engine. */
export interface EngineImage {
  readonly memory: Uint8Array<ArrayBuffer>;
  readonly numbers: readonly number[];
  readonly cpuMs: number;
}

export interface ScriptEngine {
  /** The time that the script has run, in milliseconds. */
  readonly cpuMs: number;
  /** Starts the script; returns how it ended if it did already. */
  start(start: ScriptStart): ScriptEnd | undefined;
  /** Answers a request; returns how the script ended if it did. */
  settle(id: number, answer: GuestAnswer): ScriptEnd | undefined;
  image(): EngineImage;
  dispose(): void;
}

/** A script that cannot be parsed. */
export class ScriptSyntaxError extends Error {
  readonly stackText: string;

  constructor(message: string, stackText: string) {
    super(message);
    this.name = "SyntaxError";
    this.stackText = stackText;
  }
}
