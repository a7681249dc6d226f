/**
 * What can go wrong with a server apart from its transport, by stable names. Processes that cannot
 * be started have the system's names (ENOENT, EACCES, …); network failures are in
 * `transport/http/remote-failure.ts`.
 */
export type ServerProblemCode =
  | "exited"
  | "killed"
  | "closedPipe"
  | "connectTimeout"
  | "downloadTimeout"
  | "answerTimeout"
  | "unsupportedVersion"
  | "badAnswer"
  | "secretUnavailable";

export class ServerProblem extends Error {
  readonly code: ServerProblemCode;

  constructor(code: ServerProblemCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
