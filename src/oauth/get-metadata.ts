import type { JsonObject } from "../text/json.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { isTemporary, jsonOf, temporaryFailure } from "./json-response.ts";
import { withoutQuery } from "./without-query.ts";

/** A metadata document, or why there is none at the address. */
export type MetadataAnswer =
  | { readonly document: JsonObject }
  | { readonly document?: undefined; readonly problem: string };

/**
 * Gets a metadata document. Hosts answer in many ways that they have none: an error, a page for people,
 * a redirect to a login page. A host that is broken for the moment is a failure instead, because the
 * next place to look at may name a different authorization server.
 */
export async function getMetadata(
  fetch: GuardedFetch,
  url: string,
  now: () => number,
): Promise<MetadataAnswer> {
  const response = await fetch(url);
  const { status } = response;
  const place = withoutQuery(url);
  if (isTemporary(response)) throw temporaryFailure(response, place, now());
  if (status >= 300 && status < 400)
    return { problem: `${place} redirects to a different place, which is not allowed` };
  if (status !== 200) return { problem: `${place} answered with the status ${status}` };
  const document = await jsonOf(response);
  return document === undefined ? { problem: `${place} is not a JSON object` } : { document };
}

/** The strings of a list in a document; undefined if it is not a list. */
export function textsIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item): item is string => typeof item === "string");
}
