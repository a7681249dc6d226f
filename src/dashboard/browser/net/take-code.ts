import { CODE_PARAMETER } from "../../contract.ts";

/** What of `location` and `history` is needed. */
export interface AddressBar {
  readonly location: { readonly hash: string; readonly pathname: string };
  readonly history: { replaceState(state: null, unused: string, url: string): void };
}

/**
 * The one-time code in the address; undefined if there is none. It is removed from the address at once, so
 * that it is neither in the history nor in a screenshot.
 */
export function takeCode({ location, history }: AddressBar): string | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const code = parameters.get(CODE_PARAMETER);
  if (code === null) return undefined;
  history.replaceState(null, "", location.pathname);
  return code;
}
