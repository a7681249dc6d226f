import { isObject } from "../text/json.ts";
import type { ServerResponse } from "../wire/response.ts";

/** Where some servers put what belongs into the header `WWW-Authenticate`. */
const CHALLENGE_KEY = "mcp/www_authenticate";

/**
 * The challenge in a result: some servers execute no tool without a sign-in, and say so in a result
 * instead of an HTTP status. Undefined for every other result.
 */
export function challengeInResult(response: ServerResponse): string | undefined {
  if (!response.isFailure || !response.mentions(CHALLENGE_KEY)) return undefined;
  const { result } = response.parse();
  const meta = isObject(result) && result["isError"] === true ? result["_meta"] : undefined;
  const given = isObject(meta) ? meta[CHALLENGE_KEY] : undefined;
  const challenges = (Array.isArray(given) ? given : [given]).filter(
    (challenge) => typeof challenge === "string" && /^\s*Bearer\b/i.test(challenge),
  );
  return challenges.length === 0 ? undefined : challenges.join(", ");
}
