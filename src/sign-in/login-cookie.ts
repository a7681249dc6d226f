import { createHash, randomBytes } from "node:crypto";

/** A cookie that ties a login to one browser. */
export interface LoginCookie {
  readonly value: string;
  /** The header that sets it. */
  readonly header: string;
}

const NAME = "mcp-workbench-login-";
/** Only the host itself, over https, can set a cookie with this prefix. */
const HOST_PREFIX = "__Host-";
/** As long as a link can be opened, and a browser may take to return. */
const MAX_AGE_SECONDS = 20 * 60;
/** What the browser keeps secret, and where the login began if there are several replicas. */
const VALUE = /^[\w-]{22}(?:\.[\w-]+)?$/;

/** A new cookie for the login with this tag. `Lax`, because the authorization server sends the browser back. */
export function loginCookie(tag: string, address: string): LoginCookie {
  const value = randomBytes(16).toString("base64url");
  return { value, header: cookieHeader(tag, address, value) };
}

/** Which cookie belongs to the link or the state with this secret. */
export function tagOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex").slice(0, 16);
}

export function expiredCookie(tag: string, address: string): string {
  return cookieHeader(tag, address, "", 0);
}

/** The value of the cookie of a login; undefined unless there is exactly one. */
export function cookieIn(cookies: string | undefined, tag: string): string | undefined {
  const names = [`${NAME}${tag}`, `${HOST_PREFIX}${NAME}${tag}`];
  const found = (cookies ?? "").split(";").flatMap((cookie) => {
    const [name = "", value = ""] = cookie.trim().split("=", 2);
    return names.includes(name) ? [value] : [];
  });
  const [value = "", ...others] = found;
  return others.length === 0 && VALUE.test(value) ? value : undefined;
}

export function cookieHeader(
  tag: string,
  address: string,
  value: string,
  seconds = MAX_AGE_SECONDS,
): string {
  const isSecure = address.startsWith("https://");
  const name = `${isSecure ? HOST_PREFIX : ""}${NAME}${tag}`;
  const rules = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
  return `${name}=${value}; ${rules}${isSecure ? "; Secure" : ""}`;
}
