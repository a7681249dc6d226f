import { codeOf } from "../text/error-code.ts";
import { allowedUrl } from "./allowed-url.ts";
import { isOAuthFailure, OAuthFailure } from "./failure.ts";
import { reachableAddresses } from "./reachable-addresses.ts";
import { readBody } from "./response-body.ts";
import { type CheckedRequest, redirectTarget, sendChecked } from "./send-checked.ts";
import type { ProtocolOptions } from "./types.ts";

const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
/** Everything else that a caller sets, such as cookies, is not sent. */
const SENT_HEADERS = new Set(["accept", "authorization", "content-type"]);
/** What callers read; `date` shows whether the clocks agree. */
const KEPT_HEADERS = ["content-type", "location", "retry-after", "date"];
/** Responses with these statuses have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<Response>;

/**
 * The only way to the addresses that a server or its authorization server names. They are untrusted:
 * each is checked, also after a redirect, and the connection goes to the address that was checked.
 * Redirects are followed for GET only and only within an origin; others are returned to the caller.
 * The response has a body only if that may be JSON.
 */
export function createGuardedFetch(serverUrl: string, options: ProtocolOptions = {}): GuardedFetch {
  const { timeoutMs = TIMEOUT_MS, lookup, maxBytes } = options;
  return async (address, { method = "GET", headers = {}, body } = {}) => {
    options.signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal =
      options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
    let url = allowedUrl(address, "address", serverUrl);
    try {
      for (let redirects = 0; ; redirects++) {
        const addresses = await unlessAborted(reachableAddresses(url, serverUrl, lookup), signal);
        const response = await send({
          url,
          method,
          headers,
          body,
          addresses,
          signal,
          maxBytes,
        });
        const location = response.headers.get("location") ?? undefined;
        const target = redirectTarget(response.status, location, url);
        if (method !== "GET" || target?.origin !== url.origin || redirects === MAX_REDIRECTS)
          return response;
        url = allowedUrl(target.href, "address", serverUrl);
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (isOAuthFailure(error)) throw error;
      throw networkFailure(error, url, timeout.aborted ? timeoutMs : undefined);
    }
  };
}

interface Sent extends CheckedRequest {
  readonly maxBytes: number | undefined;
}

async function send({ maxBytes, ...request }: Sent): Promise<Response> {
  const message = await sendChecked({ ...request, headers: sentHeaders(request.headers) });
  const status = message.statusCode ?? 0;
  const text = await readBody(message, request.url.host, maxBytes);
  if (status < 200 || status > 599) throw new Error(`it answered with the status ${status}`);
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = message.headers[name];
    return typeof value === "string" ? [[name, value] satisfies [string, string]] : [];
  });
  return new Response(WITHOUT_BODY.has(status) ? null : text, { status, headers: kept });
}

function sentHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const own = Object.entries(headers).filter(([name]) => SENT_HEADERS.has(name.toLowerCase()));
  return { accept: "application/json", ...Object.fromEntries(own) };
}

/** A name server that does not answer must not outlast the time limit. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

export function networkFailure(
  cause: unknown,
  url: URL,
  timeoutMs: number | undefined,
): OAuthFailure {
  if (timeoutMs !== undefined)
    return new OAuthFailure("network", `${url.host} did not answer within ${timeoutMs / 1000} s`);
  const code = codeOf(cause);
  const reason = code ?? (cause instanceof Error ? cause.message : "unknown error");
  const isCertificate = code !== undefined && /CERT|ALTNAME|SIGNATURE|ERR_TLS|ERR_SSL/.test(code);
  return new OAuthFailure("network", `Cannot reach ${url.host}: ${reason}`, {
    ...(isCertificate && { hint: "Its certificate is not trusted by this machine" }),
  });
}
