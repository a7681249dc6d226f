import { workbenchError } from "../../errors.ts";
import { choices } from "../../text/choices.ts";
import { updateTokens } from "./token-file.ts";
import { newToken, newTokenId, tokenHash } from "./token-format.ts";
import { checkTokenName } from "./token-names.ts";
import type { TokenRecord } from "./token-record.ts";

export interface NewToken {
  readonly name: string;
  readonly toolboxes: readonly string[];
  readonly servers: readonly string[];
  readonly readOnly: boolean;
  /** How long it is valid; undefined if it does not expire. */
  readonly lifetimeMs?: number | undefined;
}

/** A token, which is not stored, and what is stored about it. */
export interface IssuedToken {
  readonly token: string;
  readonly record: TokenRecord;
}

export async function createToken(
  file: string,
  { name, toolboxes, servers, readOnly, lifetimeMs }: NewToken,
  now: number = Date.now(),
): Promise<IssuedToken> {
  checkTokenName(name);
  return updateTokens(file, (tokens) => {
    const taken = tokens.find((token) => token.name.toLowerCase() === name.toLowerCase());
    if (taken !== undefined)
      throw workbenchError(
        "USAGE",
        { reason: `There is a token '${taken.name}' already` },
        `Use another name, or: mcp-workbench token rotate ${taken.name}`,
      );
    const id = unusedId(tokens);
    const token = newToken(id);
    const record: TokenRecord = {
      id,
      name,
      hash: tokenHash(token),
      ...(toolboxes.length + servers.length > 0 && { toolboxes, servers }),
      readOnly,
      createdAt: timeText(now),
      ...(lifetimeMs !== undefined && { expiresAt: timeText(now + lifetimeMs) }),
    };
    return { next: [...tokens, record], result: { token, record } };
  });
}

/** Replaces the secret of a token. One with an expiry is valid for the same time again. */
export async function rotateToken(
  file: string,
  name: string,
  now: number = Date.now(),
): Promise<IssuedToken> {
  return updateTokens(file, (tokens) => {
    const old = find(tokens, name);
    const token = newToken(old.id);
    const lifetimeMs =
      old.expiresAt === undefined
        ? undefined
        : Date.parse(old.expiresAt) - Date.parse(old.rotatedAt ?? old.createdAt);
    const record: TokenRecord = {
      ...old,
      hash: tokenHash(token),
      rotatedAt: timeText(now),
      ...(lifetimeMs !== undefined && { expiresAt: timeText(now + lifetimeMs) }),
    };
    const next = tokens.map((one) => (one === old ? record : one));
    return { next, result: { token, record } };
  });
}

export async function revokeToken(file: string, name: string): Promise<TokenRecord> {
  return updateTokens(file, (tokens) => {
    const old = find(tokens, name);
    return { next: tokens.filter((one) => one !== old), result: old };
  });
}

/** Records when tokens were used, by id. Later times stay. */
export async function recordUses(file: string, uses: ReadonlyMap<string, string>): Promise<void> {
  await updateTokens(file, (tokens) => {
    const next = tokens.map((token) => {
      const lastUsedAt = uses.get(token.id);
      const isNews = lastUsedAt !== undefined && lastUsedAt > (token.lastUsedAt ?? "");
      return isNews ? { ...token, lastUsedAt } : token;
    });
    const isChanged = next.some((token, i) => token !== tokens[i]);
    return { next: isChanged ? next : tokens, result: undefined };
  });
}

function find(tokens: readonly TokenRecord[], name: string): TokenRecord {
  const found = tokens.find((token) => token.name === name);
  if (found !== undefined) return found;
  const names = tokens.map((token) => token.name);
  throw workbenchError(
    "USAGE",
    { reason: `There is no token '${name}'` },
    names.length === 0 ? undefined : choices(name, names),
  );
}

function unusedId(tokens: readonly TokenRecord[]): string {
  for (;;) {
    const id = newTokenId();
    if (tokens.every((token) => token.id !== id)) return id;
  }
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
