import type { DeliveryFailure } from "../../../calls/call-errors.ts";

/**
 * Everything that can go wrong between the workbench and a server with a URL: the message, how to fix
 * it, and whether the server may have acted on the request.
 *
 * No message contains the value of a header, or more of the URL than host and port: the rest may be
 * secret.
 */

interface Details {
  /** Host and port. */
  readonly host: string;
  /** A number, name or code that makes the message precise. */
  readonly detail: string;
}

interface Row {
  readonly reason: (details: Details) => string;
  readonly fix?: string;
  readonly mayHaveRun: boolean;
}

const notSent = (reason: Row["reason"], fix?: string): Row => row(reason, fix, false);
const perhapsRun = (reason: Row["reason"], fix?: string): Row => row(reason, fix, true);

function row(reason: Row["reason"], fix: string | undefined, mayHaveRun: boolean): Row {
  return { reason, mayHaveRun, ...(fix !== undefined && { fix }) };
}

const TRUST =
  "If you trust it, save the certificate of its issuer in a file and set NODE_EXTRA_CA_CERTS to its path";
const CHECK_URL = "Check the url in the configuration";
const CHECK_TYPE = 'Check the path; for a Streamable HTTP server, set "type": "http"';

/** By a stable name that programs can rely on. */
export const FAILURES = {
  dns: notSent(
    ({ host, detail }) => `the host name of ${host} was not found (${detail})`,
    "Check the url in the configuration and the network of this machine",
  ),
  refused: notSent(
    ({ host, detail }) => `nothing accepts connections at ${host} (${detail})`,
    "Start the server, or correct the url in the configuration",
  ),
  unreachable: notSent(
    ({ host, detail }) => `${host} cannot be reached (${detail})`,
    "Check the network, a VPN or a firewall in between",
  ),
  connectTimeout: notSent(
    ({ host, detail }) => `${host} did not accept a connection within ${detail} ms`,
    "Check the network, a VPN or a firewall in between",
  ),
  tlsUntrusted: notSent(
    ({ host, detail }) => `the certificate of ${host} is not from a trusted issuer (${detail})`,
    TRUST,
  ),
  tlsExpired: notSent(
    ({ host, detail }) => `the certificate of ${host} has expired or is not valid yet (${detail})`,
    "Renew it on the server; also check the clock of this machine",
  ),
  tlsWrongHost: notSent(
    ({ host, detail }) => `the certificate of ${host} is for another host (${detail})`,
    "Use the host name of the certificate in the url",
  ),
  tls: notSent(
    ({ host, detail }) => `could not establish a secure connection to ${host} (${detail})`,
    "Check that it uses https on this port",
  ),
  badHeader: notSent(
    ({ detail }) => `a header of its configuration cannot be sent (${detail})`,
    "Header names and values must not contain line breaks or characters outside of Latin-1",
  ),
  reset: perhapsRun(
    ({ host, detail }) => `${host} closed the connection without an answer (${detail})`,
  ),
  notHttp: perhapsRun(
    ({ host, detail }) => `the answer of ${host} is not HTTP (${detail})`,
    "Check the port, and http or https, in the url",
  ),
  truncated: perhapsRun(({ host }) => `${host} ended the response before the answer was complete`),
  noAnswer: perhapsRun(({ host, detail }) => `${host} responded without an answer (${detail})`),
  badEncoding: perhapsRun(
    ({ host, detail }) => `${host} responded with an unsupported encoding (${detail})`,
  ),
  wrongContent: perhapsRun(
    ({ host, detail }) =>
      `${host} responds with ${detail} where an MCP server sends JSON or an event stream`,
    "The url may be a web page or a login; use the address of the MCP endpoint",
  ),
  redirectElsewhere: notSent(
    ({ host, detail }) =>
      `${host} redirects to ${detail}, which is not followed because the origin differs`,
    "If the server has moved there, change the url",
  ),
  tooManyRedirects: notSent(
    ({ host, detail }) => `${host} redirects more than ${detail} times`,
    CHECK_URL,
  ),
  unauthorized: notSent(
    ({ host }) => `${host} requires credentials, or rejected the configured ones (HTTP 401)`,
    "Check the headers of this server in the configuration; a token may have expired. A server with OAuth needs none: remove its Authorization header and run 'mcp-workbench login TOOLBOX/SERVER'",
  ),
  forbidden: notSent(
    ({ host }) => `${host} does not allow this with the configured credentials (HTTP 403)`,
    "Check the permissions of the token in this server's headers",
  ),
  signInRequired: notSent(
    ({ host }) => `${host} requires a sign-in with OAuth`,
    "Sign in with 'mcp-workbench login TOOLBOX/SERVER'",
  ),
  signInUnavailable: notSent(
    ({ host, detail }) => `the sign-in for ${host} cannot be used at this time: ${detail}`,
    "Try again later. The sign-in is kept",
  ),
  signInUnreadable: notSent(
    ({ host, detail }) => `the sign-in for ${host} cannot be read: ${detail}`,
    "If the keychain is locked, unlock it; otherwise sign in again with 'mcp-workbench login TOOLBOX/SERVER'",
  ),
  signInRefused: notSent(
    ({ host, detail }) => `${host} requires a sign-in that does not work (HTTP 401). ${detail}`,
    'Check the url and the setting "oauth" of this server; with a token, set it in the headers',
  ),
  badRequest: notSent(
    ({ host, detail }) => `${host} does not understand the request (HTTP ${detail})`,
    CHECK_URL,
  ),
  notFound: notSent(
    ({ host }) => `${host} has no MCP endpoint at the path of the url (HTTP 404)`,
    "Check the path; /mcp and /sse are common ones",
  ),
  notAllowed: notSent(
    ({ host }) => `${host} does not accept POST requests at the path of the url (HTTP 405)`,
    'Check the path; for an HTTP+SSE server, set "type": "sse"',
  ),
  rateLimited: notSent(
    ({ host, detail }) => `${host} received too many requests (HTTP 429)${detail}`,
    "Call it less often, or ask its operator for a higher limit",
  ),
  unavailable: perhapsRun(({ host, detail }) => `${host} is unavailable (HTTP 503)${detail}`),
  serverError: perhapsRun(
    ({ host, detail }) => `${host} failed (HTTP ${detail})`,
    "The cause is in the logs of the server",
  ),
  badStatus: perhapsRun(({ host, detail }) => `${host} responds with HTTP ${detail}`, CHECK_URL),
  lostSession: notSent(
    ({ host }) => `${host} forgot the session again right after a new one was opened`,
  ),
  noNewSession: notSent(
    ({ host, detail }) => `${host} forgot the session and a new one could not be opened: ${detail}`,
  ),
  noEndpoint: notSent(
    ({ host }) => `${host} does not open an event stream that names an address for messages`,
    CHECK_URL,
  ),
  noEventStream: notSent(
    ({ host }) => `${host} does not open an event stream at the path of the url (HTTP 405)`,
    CHECK_TYPE,
  ),
  notEventStream: notSent(
    ({ host, detail }) => `${host} responds with ${detail} where it should open an event stream`,
    CHECK_TYPE,
  ),
  endpointElsewhere: notSent(
    ({ host, detail }) =>
      `${host} asks for messages to be sent to ${detail}, which is refused because the origin differs`,
  ),
  streamEnded: perhapsRun(({ host }) => `${host} closed the event stream`),
  endlessMessage: perhapsRun(
    ({ host, detail }) =>
      `the event stream of ${host} was closed because a message on it had more than ${detail} bytes`,
    "Ask for less, or raise limits.messageBytes of this server",
  ),
} satisfies Record<string, Row>;

export type RemoteFailureCode = keyof typeof FAILURES;

export class RemoteFailure extends Error implements DeliveryFailure {
  override readonly name = "RemoteFailure";
  readonly code: RemoteFailureCode;
  readonly fix: string | undefined;
  readonly mayHaveRun: boolean;

  constructor(
    code: RemoteFailureCode,
    host: string,
    detail = "",
    mayHaveRun?: boolean,
    cause?: unknown,
  ) {
    const { reason, fix, mayHaveRun: usual }: Row = FAILURES[code];
    super(reason({ host, detail }), cause === undefined ? undefined : { cause });
    this.code = code;
    this.fix = fix;
    this.mayHaveRun = mayHaveRun ?? usual;
  }

  get reason(): string {
    return this.message;
  }
}

/** Whether a request failed because the user has to sign in. */
export function needsSignIn(error: unknown): boolean {
  return error instanceof RemoteFailure && error.code === "signInRequired";
}

/** Anything that was thrown, as a RemoteFailure. */
export function asRemoteFailure(error: unknown, host: string): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  return new RemoteFailure("reset", host, error instanceof Error ? error.name : "");
}

const BY_ERROR_CODE: Readonly<Record<string, RemoteFailureCode>> = {
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  EAI_FAIL: "dns",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "unreachable",
  EHOSTDOWN: "unreachable",
  ENETUNREACH: "unreachable",
  ENETDOWN: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  ETIMEDOUT: "unreachable",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tlsUntrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "tlsUntrusted",
  UNABLE_TO_GET_ISSUER_CERT: "tlsUntrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tlsUntrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tlsUntrusted",
  CERT_UNTRUSTED: "tlsUntrusted",
  CERT_HAS_EXPIRED: "tlsExpired",
  CERT_NOT_YET_VALID: "tlsExpired",
  ERR_TLS_CERT_ALTNAME_INVALID: "tlsWrongHost",
  ERR_INVALID_CHAR: "badHeader",
  ERR_INVALID_HTTP_TOKEN: "badHeader",
};

/**
 * What an error of the network, of TLS or of the HTTP parser means. Nothing is sent before the
 * connection is established, so an earlier failure cannot have had an effect.
 */
export function networkFailure(error: unknown, host: string, connected: boolean): RemoteFailure {
  const code = String((error as NodeJS.ErrnoException).code ?? "unknown");
  const known = BY_ERROR_CODE[code];
  if (known !== undefined) return new RemoteFailure(known, host, code, connected);
  if (code.startsWith("HPE_")) return new RemoteFailure("notHttp", host, code);
  const secure = code.startsWith("ERR_SSL") || code.startsWith("ERR_TLS") || code === "EPROTO";
  return new RemoteFailure(secure ? "tls" : "reset", host, code, connected);
}

const BY_STATUS: Readonly<Record<number, RemoteFailureCode>> = {
  400: "badRequest",
  401: "unauthorized",
  403: "forbidden",
  404: "notFound",
  405: "notAllowed",
  429: "rateLimited",
  503: "unavailable",
};

/** What an HTTP error status means; `waitMs` is how long the server has asked to wait. */
export function statusFailure(
  status: number,
  host: string,
  waitMs: number | undefined,
): RemoteFailure {
  const code = BY_STATUS[status] ?? (status >= 500 ? "serverError" : "badStatus");
  return new RemoteFailure(
    code,
    host,
    code === "rateLimited" || code === "unavailable" ? waitText(waitMs) : `${status}`,
  );
}

function waitText(ms: number | undefined): string {
  return ms === undefined ? "" : ` and asks to wait ${Math.ceil(ms / 1000)} s`;
}
