import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { isLoopback } from "../../text/loopback.ts";
import { CSRF_HEADER } from "../contract.ts";
import { RequestError } from "./api-error.ts";
import { userOf } from "./peer-user.ts";
import type { UiSession, UiSessions } from "./sessions.ts";

/**
 * Which requests a dashboard answers. The Host header and, if there is one, the Origin header have been
 * compared with the addresses of the workbench before.
 */

/**
 * Throws unless the request comes from this machine, under an address: a dashboard never leaves the machine,
 * whatever the workbench listens on and whatever proxy is in front of it.
 */
export function requireThisMachine({ socket, headers }: IncomingMessage): void {
  const { remoteAddress: from = "", localAddress: to } = socket;
  const isLocal = isLoopback(from.replace(/^::ffff:(?=\d+\.)/, "")) || from === to;
  const name = (headers.host ?? "").replace(/:\d+$/, "");
  const isAddress = name === "localhost" || /^(?:[\d.]+|\[[\da-f:.]+\])$/i.test(name);
  if (isLocal && isAddress) return;
  throw new RequestError(
    403,
    "forbidden",
    "The dashboard can be used only on the machine of the workbench, under its IP address or localhost",
  );
}

/** Throws if a page of another origin has caused the request; other ports of this machine count, too. */
export function requireSameOrigin(request: IncomingMessage): void {
  const { "sec-fetch-site": site, origin } = request.headers;
  const isOwn = site === undefined || site === "same-origin";
  // A browser sends one of them with every request that can change something.
  const isKnown = request.method === "GET" || site !== undefined || origin !== undefined;
  if (isOwn && isKnown) return;
  throw new RequestError(403, "forbidden", "Requests from other web sites are not accepted");
}

/** Throws if the system knows that a program of another user sends the request. */
export function requireSameUser({ socket }: IncomingMessage): void {
  const { remoteAddress: address, remotePort: port } = socket;
  const own = process.getuid?.();
  if (own === undefined || address === undefined || port === undefined) return;
  const user = userOf({ address, port });
  if (user === undefined || user === own || user === ROOT) return;
  throw new RequestError(403, "forbidden", "The dashboard belongs to another user");
}

const ROOT = 0;

/** The session of a request. */
export function sessionOf(
  request: IncomingMessage,
  sessions: UiSessions,
  cookieName: string,
): UiSession | undefined {
  for (const cookie of cookiesOf(request, cookieName)) {
    const session = sessions.find(cookie);
    if (session !== undefined) return session;
  }
  return undefined;
}

/** Throws unless the request was made by the page of this session. */
export function requireCsrf(request: IncomingMessage, { csrf }: UiSession): void {
  const sent = request.headers[CSRF_HEADER];
  const digest = (text: string): Buffer => hash("sha256", text, "buffer");
  if (typeof sent === "string" && timingSafeEqual(digest(sent), digest(csrf))) return;
  throw new RequestError(403, "csrf", `The header ${CSRF_HEADER} is missing or not valid`);
}

/** Cookies are shared by all ports of a machine, so the name contains the port. */
export function cookieNameFor(request: IncomingMessage): string {
  return `mcp_workbench_ui_${request.socket.localPort ?? 0}`;
}

/** Programs on other ports can set cookies of this name, too; those are not the cookie of a session. */
export function cookiesOf({ headers }: IncomingMessage, name: string): readonly string[] {
  const found = (headers.cookie ?? "").split(";").flatMap((part) => {
    const [key, value = ""] = part.trim().split("=", 2);
    return key === name ? [value] : [];
  });
  return found.slice(0, MAX_COOKIES);
}

const MAX_COOKIES = 10;

/** Scripts cannot read it, and no other site can make a browser send it. */
export function cookieHeader(name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=/ui; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
}
