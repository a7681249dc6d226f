import { isForeignSignIn, translateSignIn } from "../config/canonical/foreign-sign-in.ts";
import { oauthSchema } from "../config/oauth-schema.ts";
import { isObject } from "../text/json.ts";

/** The setting `oauth` of an entry: how to sign in, or false for never. */
export type OAuthEntry = false | Readonly<Record<string, unknown>>;

/**
 * The sign-in of an entry, in the form of our configuration; undefined if it is automatic. One that
 * the configuration would refuse is left out, with a problem: the server itself can still be used.
 */
export function signInEntry(
  raw: Readonly<Record<string, unknown>>,
  text: (value: unknown) => string,
  onProblem: (problem: string) => void,
): OAuthEntry | undefined {
  const key = raw["oauth"] === undefined ? "auth" : "oauth";
  const given = raw[key];
  const isForeign = isForeignSignIn(key, given);
  if (key === "auth" && !isForeign) return undefined;
  const value = isForeign ? translateSignIn(key, given).value : given;
  if (value === false) return false;
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  const texts = Object.entries(value).map(([name, item]) => [
    name,
    typeof item === "string" ? text(item) : item,
  ]);
  const entry = Object.fromEntries(texts) as Readonly<Record<string, unknown>>;
  if (oauthSchema.safeParse(entry).success) return entry;
  onProblem("its sign-in settings (oauth) cannot be used; add them to the configuration by hand");
  return undefined;
}
