import { EXIT, RPC } from "./error-codes.ts";
import { codeOf } from "./text/error-code.ts";
import { shownName } from "./text/shown-name.ts";

/**
 * The table of all errors that users, agents and clients see. `docs/errors.md` is generated from it.
 *
 * A row has the message, the JSON-RPC code, the HTTP status and the exit code. Hints are separate.
 */

export { EXIT, RPC };

interface Row<P> {
  readonly message: (p: P) => string;
  readonly rpc: number;
  readonly http: number;
  readonly exit: number;
}

type MakeRow = <P>(...row: [Row<P>["message"], number, number, number]) => Row<P>;
const row: MakeRow = (message, rpc, http, exit) => ({ message, rpc, http, exit });
/** A name in a request or on the command line that does not exist. */
const missing = <P>(message: Row<P>["message"]): Row<P> =>
  row(message, RPC.invalidParams, 404, EXIT.usage);
/** A call that cannot be made as it is. */
const misused = <P>(message: Row<P>["message"]): Row<P> =>
  row(message, RPC.invalidParams, 400, EXIT.usage);
/** A request that is refused as it is, before it is a call. */
const refused = <P>(http: number, message: Row<P>["message"]): Row<P> =>
  row(message, RPC.invalidRequest, http, EXIT.usage);
/** A call or request that is not allowed. */
const forbidden = <P>(message: Row<P>["message"]): Row<P> =>
  row(message, RPC.invalidRequest, 403, EXIT.unauthorized);
/** A problem with what the workbench was set up with. */
const setup = <P>(message: Row<P>["message"]): Row<P> =>
  row(message, RPC.internal, 500, EXIT.config);
/** A server that cannot be used, or whose answer cannot be. */
const unreachable = <P>(message: Row<P>["message"]): Row<P> =>
  row(message, RPC.internal, 502, EXIT.serverUnavailable);
/** Something that works again later. */
const busy = <P>(message: Row<P>["message"]): Row<P> =>
  row(message, RPC.internal, 503, EXIT.serverUnavailable);

interface InToolbox {
  readonly toolbox: string;
}
interface AtServer extends InToolbox {
  readonly server: string;
}
interface AtTool extends AtServer {
  readonly name: string;
}
interface Because {
  readonly reason: string;
}

const where = (p: AtServer): string => `server '${p.server}' in toolbox '${p.toolbox}'`;

export const ERRORS = {
  TOOLBOX_NOT_FOUND: missing<InToolbox>((p) => `Toolbox '${shownName(p.toolbox)}' not found`),
  SERVER_NOT_FOUND: missing<AtServer>(
    (p) => `Server '${shownName(p.server)}' not found in toolbox '${shownName(p.toolbox)}'`,
  ),
  TOOL_NOT_FOUND: missing<AtTool>(
    (p) => `Tool '${shownName(p.name)}' not found in server '${p.server}' (toolbox '${p.toolbox}')`,
  ),
  TOOL_NOT_READ_ONLY: misused<AtTool>(
    (p) =>
      `Tool '${p.name}' of server '${p.server}' (toolbox '${p.toolbox}') is not known to be read-only`,
  ),
  RESULT_NOT_FOUND: missing<{ id: string }>((p) => `Result '${shownName(p.id)}' not found`),
  UNKNOWN_TOOL: missing<{ name: string }>((p) => `Unknown tool: ${shownName(p.name)}`),
  CONNECTION_FAILED: unreachable<AtServer & Because>(
    (p) => `Failed to connect to ${where(p)}: ${p.reason}`,
  ),
  SERVER_STARTING: busy<AtServer & Because>(
    (p) => `Server '${p.server}' in toolbox '${p.toolbox}' is not ready yet: ${p.reason}`,
  ),
  TOOLBOX_UNREACHABLE: unreachable<InToolbox & Because>(
    (p) => `Could not connect to any server in toolbox '${p.toolbox}': ${p.reason}`,
  ),
  INVALID_PARAMETERS: misused<Because>((p) => `Invalid parameters: ${p.reason}`),
  SERVER_DIED: unreachable<AtServer & Because & { what: string }>(
    (p) =>
      `Lost connection to ${where(p)} during ${p.what}: ${p.reason}. The call may or may not have taken effect`,
  ),
  CALL_NOT_DELIVERED: unreachable<AtServer & Because & { what: string }>(
    (p) => `Could not deliver ${p.what} to ${where(p)}: ${p.reason}. The call had no effect`,
  ),
  SERVER_BUSY: busy<AtServer & Because>(
    (p) => `Too many concurrent calls to ${where(p)}: ${p.reason}`,
  ),
  CALL_TIMEOUT: row<AtServer & Because & { what: string }>(
    (p) => `Timed out waiting for ${p.what} on ${where(p)}: ${p.reason}`,
    RPC.internal,
    504,
    EXIT.timeout,
  ),
  MESSAGE_TOO_LARGE: unreachable<AtServer & Because>(
    (p) => `Message from ${where(p)} is too large: ${p.reason}`,
  ),
  MESSAGE_REJECTED: unreachable<AtServer & Because>(
    (p) => `The answer from ${where(p)} was rejected: ${p.reason}`,
  ),
  SIGN_IN_REQUIRED: row<AtServer & Because>(
    (p) => `Sign-in required for ${where(p)}: ${p.reason}`,
    RPC.internal,
    401,
    EXIT.unauthorized,
  ),
  POLICY_DENIED: forbidden<AtServer & Because & { what: string }>(
    (p) => `The policy denies ${p.what} on ${where(p)}: ${p.reason}`,
  ),
  NOT_APPROVED: forbidden<AtServer & Because & { what: string }>(
    (p) => `Blocked ${p.what} of ${where(p)}: ${p.reason}`,
  ),
  APPROVAL_REQUIRED: forbidden<AtServer & Because & { what: string }>(
    (p) => `The user has to approve ${p.what} on ${where(p)}: ${p.reason}`,
  ),
  SCRIPTS_BUSY: busy<Because>((p) => `Too many scripts at the same time: ${p.reason}`),
  APPROVALS_UNUSABLE: setup<{ file: string } & Because>(
    (p) => `Cannot use the approvals in ${p.file}: ${p.reason}`,
  ),
  CONFIG_NOT_FOUND: setup<Because>((p) => `No configuration found: ${p.reason}`),
  CONFIG_INVALID: setup<{ file: string; problems: readonly string[] }>(
    (p) => `Invalid configuration ${p.file}\n${p.problems.map((x) => `  ${x}`).join("\n")}`,
  ),
  CONFIG_NOT_TRUSTED: setup<{ file: string; details: string } & Because>(
    (p) => `Configuration not trusted: ${p.file} ${p.reason}. Nothing was started${p.details}`,
  ),
  REPLICA_LOST: unreachable<Record<never, never>>(
    () =>
      "The connection to the replica that handled the request was lost. The call may or may not have taken effect",
  ),
  REPLICAS_UNREACHABLE: busy<Because>((p) => `The session cannot be reached: ${p.reason}`),
  CLUSTER_UNUSABLE: setup<Because>((p) => `Cannot join the cluster: ${p.reason}`),
  FOLDER_UNUSABLE: setup<Because & { path: string }>(
    (p) => `Cannot use the folder ${p.path}: ${p.reason}`,
  ),
  FILE_INVALID: setup<{ file: string; at: string } & Because>(
    (p) => `Cannot read ${p.file}${p.at === "" ? "" : `:${p.at}`}: ${p.reason}`,
  ),
  FILE_NOT_WRITABLE: row<{ file: string } & Because>(
    (p) => `Cannot write ${p.file}: ${p.reason}`,
    RPC.internal,
    500,
    EXIT.unexpected,
  ),
  FILE_CHANGED: row<{ file: string }>(
    (p) => `${p.file} was changed by another program in the meantime; nothing was written`,
    RPC.internal,
    500,
    EXIT.unexpected,
  ),
  FILE_NOT_EDITABLE: setup<{ file: string } & Because>((p) => `Cannot edit ${p.file}: ${p.reason}`),
  SECRETS_UNAVAILABLE: setup<{ store: string } & Because>(
    (p) => `Cannot use ${p.store}: ${p.reason}`,
  ),
  CREDENTIAL_UNUSABLE: setup<{ credential: string } & Because>(
    (p) => `Cannot use the stored sign-in ${p.credential}: ${p.reason}`,
  ),
  CREDENTIAL_BUSY: busy<{ credential: string } & Because>(
    (p) => `The stored sign-in ${p.credential} is busy: ${p.reason}`,
  ),
  CLIENT_UNKNOWN: missing<{ client: string }>((p) => `Unknown client '${p.client}'`),
  CLIENT_NOT_INSTALLED: setup<{ client: string } & Because>(
    (p) => `${p.client} was not found on this machine: ${p.reason}`,
  ),
  CONFIG_EXISTS: setup<{ file: string }>((p) => `A configuration already exists: ${p.file}`),
  SERVER_EXISTS: setup<AtServer>(
    (p) => `Toolbox '${p.toolbox}' already has a server '${p.server}'`,
  ),
  REGISTRY_UNUSABLE: unreachable<{ registry: string } & Because>(
    (p) => `Cannot use the registry ${shownName(p.registry)}: ${p.reason}`,
  ),
  NOT_IN_REGISTRY: missing<{ registry: string; name: string; version?: string }>((p) => {
    const version = p.version === undefined ? "" : `version ${shownName(p.version)} of a `;
    return `The registry ${shownName(p.registry)} has no ${version}server '${shownName(p.name)}'`;
  }),
  BUNDLE_INVALID: setup<{ file: string } & Because>(
    (p) => `Cannot install the bundle ${p.file}: ${p.reason}`,
  ),
  CANNOT_ADD: setup<{ name: string } & Because>(
    (p) => `Cannot add ${shownName(p.name)}: ${p.reason}`,
  ),
  SERVER_REFUSED: row<AtServer & Because>(
    (p) => `Server '${p.server}' in toolbox '${p.toolbox}' refused the call: ${p.reason}`,
    RPC.internal,
    502,
    EXIT.toolError,
  ),
  SIGN_IN_FAILED: row<AtServer & Because>(
    (p) => `Cannot sign in to ${where(p)}: ${p.reason}`,
    RPC.internal,
    502,
    EXIT.unauthorized,
  ),
  INTERRUPTED: row<Record<never, never>>(() => "Interrupted", RPC.internal, 500, EXIT.interrupted),
  WORKBENCH_CLOSED: busy<Record<never, never>>(() => "The workbench is shutting down"),
  RATE_LIMITED: row<{ what: string; rate: string; wait: string }>(
    (p) => `Rate limit${p.what === "" ? "" : ` for ${p.what}`}: ${p.rate}. Try again in ${p.wait}`,
    RPC.rateLimited,
    429,
    EXIT.serverUnavailable,
  ),
  AUDIT_UNAVAILABLE: busy<Because>(
    (p) => `The audit log is required but cannot be written: ${p.reason}`,
  ),
  CUT_OFF: busy<Record<never, never>>(
    () => "The workbench stopped. A call in progress may or may not have taken effect",
  ),
  ANSWER_DROPPED: busy<{ bytes: number }>(
    (p) =>
      `The answer was dropped because ${p.bytes} bytes of earlier ones are unread. The call may have taken effect`,
  ),
  ANSWER_LOST: busy<Record<never, never>>(
    () =>
      "The answer was lost with the connection, and is too large to be sent again. The call may have taken effect",
  ),
  BAD_REQUEST: refused<Because>(400, (p) => `Bad request: ${p.reason}`),
  PARSE_ERROR: row<Because>((p) => `Parse error: ${p.reason}`, RPC.parse, 400, EXIT.usage),
  HEADER_MISMATCH: row<Because>(
    (p) => `Header mismatch: ${p.reason}`,
    RPC.headerMismatch,
    400,
    EXIT.usage,
  ),
  UNSUPPORTED_VERSION: row<{ version: string }>(
    (p) => `Unsupported protocol version: ${shownName(p.version)}`,
    RPC.unsupportedVersion,
    400,
    EXIT.usage,
  ),
  UNAUTHORIZED: row<Because>(
    (p) => `Unauthorized: ${p.reason}`,
    RPC.invalidRequest,
    401,
    EXIT.unauthorized,
  ),
  IDENTITY_UNAVAILABLE: busy<Record<never, never>>(
    () => "The identity provider cannot be reached, so the token cannot be checked",
  ),
  INSUFFICIENT_SCOPE: forbidden<{ scopes: string }>(
    (p) => `Forbidden: the token needs one of these scopes: ${p.scopes}`,
  ),
  FORBIDDEN: forbidden<Because>((p) => `Forbidden: ${p.reason}`),
  NOTHING_HERE: refused<{ path: string }>(404, (p) => `Not found: ${shownName(p.path)}`),
  SESSION_NOT_FOUND: refused<Record<never, never>>(
    404,
    () => "Session not found: it has ended or belongs to a different endpoint",
  ),
  METHOD_NOT_ALLOWED: refused<{ method: string }>(
    405,
    (p) => `Method ${p.method} is not allowed here`,
  ),
  NOT_ACCEPTABLE: refused<{ types: string }>(
    406,
    (p) => `Not acceptable: the Accept header must allow ${p.types}`,
  ),
  STREAM_TAKEN: refused<Record<never, never>>(
    409,
    () => "Conflict: the stream of this session is already open",
  ),
  BODY_TOO_LARGE: refused<{ limit: number }>(
    413,
    (p) => `The request body exceeds the limit of ${p.limit} bytes (http.bodyBytes)`,
  ),
  TOO_MANY_BODIES: busy<Because>((p) => p.reason),
  UNSUPPORTED_MEDIA_TYPE: refused<Because>(415, (p) => `Unsupported media type: ${p.reason}`),
  TOO_MANY_SUBSCRIPTIONS: refused<{ limit: number }>(
    400,
    (p) => `Too many resource subscriptions: the limit is ${p.limit}`,
  ),
  TOO_MANY_SESSIONS: busy<{ limit: number }>(
    (p) => `All ${p.limit} sessions are in use (http.sessions)`,
  ),
  CANNOT_LISTEN: row<Because & { address: string }>(
    (p) => `Cannot listen on ${p.address}: ${p.reason}`,
    RPC.internal,
    500,
    EXIT.usage,
  ),
  CERTIFICATE_UNUSABLE: setup<Because>((p) => `Cannot use the certificate: ${p.reason}`),
  TOKEN_UNUSABLE: setup<Because>((p) => `Cannot use the access token: ${p.reason}`),
  TOKENS_UNUSABLE: setup<{ file: string } & Because>(
    (p) => `Cannot use the access tokens in ${p.file}: ${p.reason}`,
  ),
  TOKENS_BUSY: busy<{ file: string } & Because>(
    (p) => `The access tokens in ${p.file} are busy: ${p.reason}`,
  ),
  INTERNAL: row<Because>((p) => `Internal error: ${p.reason}`, RPC.internal, 500, EXIT.unexpected),
  USAGE: refused<Because>(400, (p) => p.reason),
} as const;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParams<C extends ErrorCode> = Parameters<(typeof ERRORS)[C]["message"]>[0];

/** Causes that mean rejected credentials. */
const REJECTED: ReadonlySet<string | undefined> = new Set([
  "unauthorized",
  "forbidden",
  "signInRefused",
]);

const BRAND = Symbol.for("mcp-workbench.error");

/** An error whose text is written for the person or agent who reads it. */
export class WorkbenchError extends Error {
  override readonly name = "WorkbenchError";
  readonly code: ErrorCode;
  /** What to do next, such as the closest existing name or a setting. Shown after the message. */
  readonly hint: string | undefined;
  /** The variable part of the message, if any, for output that already names the rest. */
  readonly reason: string | undefined;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, hint?: string, reason?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.reason = reason;
  }

  get rpcCode(): number {
    return ERRORS[this.code].rpc;
  }

  get httpStatus(): number {
    return ERRORS[this.code].http;
  }

  /** Rejected credentials have their own exit code, whatever the error. */
  get exitCode(): number {
    const { causeCode } = this;
    return REJECTED.has(causeCode) ? EXIT.unauthorized : ERRORS[this.code].exit;
  }

  /** The stable name of the cause, such as `refused` or `ENOENT`. */
  get causeCode(): string | undefined {
    return codeOf(this.cause);
  }

  /** The error object of a JSON-RPC response. */
  get rpcError(): { readonly code: number; readonly message: string; readonly data?: object } {
    const { rpcCode, text, code, causeCode: cause } = this;
    return { code: rpcCode, message: text, ...(cause !== undefined && { data: { code, cause } }) };
  }

  /** Message and hint as one text. */
  get text(): string {
    const { message, hint } = this;
    return hint === undefined ? message : `${message}${/\n/.test(message) ? "\n" : ". "}${hint}`;
  }
}

/** Creates an error from its row; `hint` says what to do about it. */
export function workbenchError<C extends ErrorCode>(
  code: C,
  params: ErrorParams<C>,
  hint?: string,
  cause?: unknown,
): WorkbenchError {
  const template = ERRORS[code].message as (p: ErrorParams<C>) => string;
  const reason = "reason" in params ? String(params.reason) : undefined;
  return new WorkbenchError(code, template(params), hint, reason, cause);
}

/** Works across bundled copies of this module, unlike `instanceof`. */
export function isWorkbenchError(error: unknown): error is WorkbenchError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** Only the variable part and the hint, for messages that already name the server. */
export function shortReasonOf(error: unknown): string {
  if (!isWorkbenchError(error) || error.reason === undefined) return reasonOf(error);
  return error.hint === undefined ? error.reason : `${error.reason}. ${error.hint}`;
}

/** The message of anything thrown. */
export function reasonOf(error: unknown): string {
  if (isWorkbenchError(error)) return error.text;
  return error instanceof Error ? error.message : String(error);
}
