import { workbenchError } from "../../errors.ts";
import { choices } from "../../text/choices.ts";
import type { StateFile } from "../state-file.ts";
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
  file: StateFile,
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
  file: StateFile,
  name: string,
  now: number = Date.now(),
): Promise<IssuedToken> {
  return updateTokens(file, (tokens) => {
    const [old, second] = findAll(tokens, name);
    if (second !== undefined)
      throw workbenchError(
        "USAGE",
        { reason: `There are several tokens '${name}', made by replicas without a connection` },
        `Revoke them and create one: mcp-workbench token revoke ${name}`,
      );
    const token = newToken(old.id);
    const madeAt = Date.parse(old.rotatedAt ?? old.createdAt);
    const lifetimeMs = old.expiresAt === undefined ? undefined : Date.parse(old.expiresAt) - madeAt;
    // Later than the secret that it replaces, whatever the clocks of replicas show: the later one counts.
    const at = Math.max(now, madeAt + 1);
    const record: TokenRecord = {
      ...old,
      hash: tokenHash(token),
      rotatedAt: timeText(at),
      ...(lifetimeMs !== undefined && { expiresAt: timeText(at + lifetimeMs) }),
    };
    const next = tokens.map((one) => (one === old ? record : one));
    return { next, result: { token, record } };
  });
}

/** Revokes the token, and any other with the same name. */
export async function revokeToken(file: StateFile, name: string): Promise<TokenRecord> {
  return updateTokens(file, (tokens) => {
    const old = findAll(tokens, name);
    return { next: tokens.filter((one) => !old.includes(one)), result: old[0] };
  });
}

/** Records when tokens were used, by id. Later times stay. */
export async function recordUses(
  file: StateFile,
  uses: ReadonlyMap<string, string>,
): Promise<void> {
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

function findAll(
  tokens: readonly TokenRecord[],
  name: string,
): readonly [TokenRecord, ...TokenRecord[]] {
  const [first, ...others] = tokens.filter((token) => token.name === name);
  if (first !== undefined) return [first, ...others];
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
