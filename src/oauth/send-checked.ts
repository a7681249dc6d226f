import type { LookupAddress } from "node:dns";
import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction } from "node:net";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface CheckedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The addresses of the host, which were checked. */
  readonly addresses: readonly LookupAddress[];
  readonly signal: AbortSignal;
}

/** Sends one request to an address that was checked. Follows no redirect. */
export function sendChecked(request: CheckedRequest): Promise<http.IncomingMessage> {
  const { url, method, headers, body, addresses, signal } = request;
  return new Promise<http.IncomingMessage>((resolve, reject) => {
    const isSecure = url.protocol === "https:";
    const sent = (isSecure ? https : http).request(url, {
      method,
      headers: { ...headers, "accept-encoding": "identity", "user-agent": "mcp-workbench" },
      // A connection of its own, so that the address below is the one that is used.
      agent: false,
      lookup: lookupOf(addresses),
      signal,
      insecureHTTPParser: false,
      // Set explicitly, because an environment variable can turn the default off.
      ...(isSecure && { rejectUnauthorized: true }),
    });
    sent.on("error", reject);
    sent.on("response", resolve);
    sent.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("it switched to a different protocol"));
    });
    sent.end(body === undefined || body === null ? undefined : String(body));
  });
}

/** Where a response redirects to; undefined if it does not. */
export function redirectTarget(
  status: number,
  location: string | undefined,
  from: URL,
): URL | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  return URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

/** Answers with the addresses that were checked, without another query. */
function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}
