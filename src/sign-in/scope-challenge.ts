import type { CredentialRecord } from "../credentials/record.ts";
import type { BearerChallenge } from "../oauth/types.ts";
import type { Credential } from "./credential.ts";
import { SignInNeeded, SignInUnavailable } from "./sign-in-errors.ts";
import type { AuthStatus } from "./types.ts";

/** A login can request twice as much. */
const MAX_SCOPE_CHARS = 2000;

/**
 * Handles a request for more scope: remembers it for the next login in any process, and asks for that
 * login. A client that signs in for itself gets a token with the scope instead.
 */
export async function answerScope(
  credential: Credential,
  challenge: BearerChallenge | undefined,
  context: { readonly isMachine: boolean; readonly status: () => AuthStatus },
): Promise<void> {
  const asked = wordsOf(challenge?.scope);
  const { record } = credential;
  const isRemembered = asked.every((word) => wordsOf(record?.wantedScope).includes(word));
  if (record?.wantedScope !== undefined && isRemembered && !context.isMachine)
    throw new SignInNeeded(context.status());
  const { isMachine } = context;
  const isPending = record?.wantedScope !== undefined;
  const limit = credential.stepUps.ask(asked.toSorted().join(" "), credential.generation, {
    isMachine,
    isPending,
  });
  if (limit !== undefined)
    throw new SignInUnavailable(context.status(), limit.reason, limit.retryAfterMs);
  if (isMachine) return;
  await credential.update((current) => {
    if (current === undefined || current.generation !== record?.generation) return undefined;
    return { ...current, wantedScope: union(wordsOf(knownScope(current)), asked) };
  });
  throw new SignInNeeded(context.status());
}

/**
 * Remembers the scope of a challenge that only a login can answer: the login may be made by another
 * process, which the server does not ask the same.
 */
export async function rememberScope(
  credential: Credential,
  challenge: BearerChallenge | undefined,
): Promise<void> {
  const asked = wordsOf(challenge?.scope);
  if (asked.length === 0 || isKnown(credential.record, asked)) return;
  await credential.update((current) => {
    if (isKnown(current, asked)) return undefined;
    const record = current ?? { version: 1, ...credential.id, generation: 0 };
    // Without a token nothing was granted yet, and the latest challenge counts. The login itself adds
    // what was requested before, unless the authorization server is a different one.
    const before = record.token === undefined ? [] : wordsOf(record.wantedScope);
    return { ...record, wantedScope: union(before, asked) };
  });
}

/** Whether the next login requests this scope anyway. */
function isKnown(record: CredentialRecord | undefined, asked: readonly string[]): boolean {
  if (record === undefined) return false;
  const known = wordsOf(knownScope(record));
  if (!asked.every((word) => known.includes(word))) return false;
  return record.token !== undefined || known.every((word) => asked.includes(word));
}

function knownScope({ wantedScope, requestedScope, token }: CredentialRecord): string | undefined {
  return wantedScope ?? requestedScope ?? token?.scope;
}

/** A server that asks for something else each time must not make the next login impossible. */
function union(before: readonly string[], asked: readonly string[]): string {
  const all = [...new Set([...before, ...asked])].join(" ");
  return all.length <= MAX_SCOPE_CHARS ? all : asked.join(" ");
}

function wordsOf(scope: string | undefined): string[] {
  return (scope ?? "").split(" ").filter((word) => word !== "");
}
