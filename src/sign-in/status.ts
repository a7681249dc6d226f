import type { CredentialRecord } from "../credentials/record.ts";
import { OWNER_USER } from "../config/per-user.ts";
import type { OAuthSettings, SignInUser } from "../config/types.ts";
import { shellWords } from "../text/shell-words.ts";
import { truncate } from "../text/truncate.ts";
import type { Problem } from "./back-off.ts";
import { isExpired, isRefused } from "./expiry.ts";
import { isRefreshable } from "./redeem.ts";
import type { AuthStatus } from "./types.ts";

export interface StatusInput {
  readonly record: CredentialRecord | undefined;
  readonly settings: Pick<OAuthSettings, "account" | "grant" | "user">;
  readonly place: { readonly toolbox: string; readonly server: string };
  readonly now: number;
  readonly problem?: Problem | undefined;
  /** The server rejected a token that was issued a moment ago. */
  readonly isRejected?: boolean;
  /** The server names no authorization server. */
  readonly isGuess?: boolean;
}

/** How much of a scope is shown. */
const MAX_SHOWN = 200;

/** Servers that take API keys often send the same challenge as those with OAuth. */
const MAYBE_API_KEY =
  "HTTP 401 without the name of an authorization server; if it takes an API key, set that in its headers";

/** The state of a sign-in. Reads nothing and asks no server. */
export function statusOf(input: StatusInput): AuthStatus {
  const { record, settings, place } = input;
  const expiresAt = record?.token?.expiresAt;
  const [state, reason] = stateOf(input);
  return {
    kind: "oauth",
    state,
    account: settings.account,
    ...(isOthers(settings.user) && { user: settings.user.name }),
    issuer: record?.endpoints?.issuer ?? null,
    scope: record?.token?.scope ?? record?.requestedScope ?? null,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    refreshable: isRenewable(input),
    login: loginCommand(place, settings.user),
    reason,
  };
}

function loginCommand(
  { toolbox, server }: StatusInput["place"],
  user: OAuthSettings["user"],
): string {
  const whose = isOthers(user) ? ["--user", user.name] : [];
  return shellWords(["mcp-workbench", "login", `${toolbox}/${server}`, ...whose]);
}

function isOthers(user: OAuthSettings["user"]): user is SignInUser {
  return user !== undefined && user.id !== OWNER_USER.id;
}

/** Whether an expired token is replaced without the user. */
function isRenewable({ record, settings }: StatusInput): boolean {
  if (settings.grant === "client_credentials") return true;
  return isRefreshable(record) && record !== undefined && !isRefused(record);
}

function stateOf(input: StatusInput): [AuthStatus["state"], string | null] {
  const { record, problem, isRejected = false, isGuess = false, now } = input;
  const { token, refused, wantedScope } = record ?? {};
  if (record && isRefused(record))
    return ["needs-login", `the authorization server ended the sign-in (${refused?.error})`];
  if (isRejected) return ["needs-login", "the server rejects the token"];
  const isUnusable = token === undefined || isExpired(token, now);
  if (problem !== undefined && (isUnusable || problem.state === "refused"))
    return [problem.state, problem.reason];
  if (token === undefined) return ["needs-login", isGuess ? MAYBE_API_KEY : null];
  if (isUnusable && !isRenewable(input))
    return ["needs-login", "the token has expired, and there is no refresh token"];
  if (wantedScope !== undefined)
    return ["needs-scope", `the server asks for the scope "${truncate(wantedScope, MAX_SHOWN)}"`];
  return ["signed-in", problem?.reason ?? null];
}
