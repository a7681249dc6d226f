/**
 * What goes wrong with a server apart from its transport, by stable names. Those of a process that
 * cannot be started are the system's (ENOENT, EACCES, …), those of the network are in
 * `remote/remote-failure.ts`.
 */
export type ServerProblemCode =
  | "exited"
  | "killed"
  | "closedPipe"
  | "connectTimeout"
  | "answerTimeout"
  | "unsupportedVersion"
  | "badAnswer";

export class ServerProblem extends Error {
  readonly code: ServerProblemCode;

  constructor(code: ServerProblemCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
