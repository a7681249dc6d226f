import { OAuthFailure } from "./failure.ts";

const ONCE = ["code", "state", "iss", "error", "error_description"];

/** What the browser returned with. All of it is untrusted until `state` and `iss` are checked. */
export function returnedParameters(returned: string): ReadonlyMap<string, string> {
  // Terminals and chat programs add quotes or angle brackets.
  const text = returned.trim().replace(/^[<"']+|[>"']+$/g, "");
  const parameters = parametersOf(text);
  if (parameters === undefined)
    throw new OAuthFailure("denied", "That is not the address that the browser ended at", {
      hint: "Paste the complete address, starting with http. The code alone is not enough, because it does not show which authorization server issued it",
    });
  if (parameters.has("response_type"))
    throw new OAuthFailure("denied", "That is the address of the login page", {
      hint: "Log in there, then paste the address that the browser ended at, even if it shows an error",
    });
  const result = new Map<string, string>();
  for (const name of ONCE) {
    const [value, ...more] = parameters.getAll(name);
    if (more.length > 0)
      throw new OAuthFailure("denied", `The answer to the login has more than one '${name}'`, {
        hint: "Log in again",
      });
    if (value !== undefined && value !== "") result.set(name, value);
  }
  return result;
}

function parametersOf(text: string): URLSearchParams | undefined {
  if (/^https?:\/\//i.test(text))
    return URL.canParse(text) ? new URL(text).searchParams : undefined;
  const query = text.replace(/^[^?\s]*\?/, "");
  return /^[\w.-]+=/.test(query) ? new URLSearchParams(query) : undefined;
}
