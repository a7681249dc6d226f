import type { JsonObject } from "../text/json.ts";
import { allowedUrl } from "./allowed-url.ts";
import { OAuthFailure } from "./failure.ts";
import { foreignText } from "./foreign-text.ts";
import { getMetadata, textsIn } from "./get-metadata.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import type { BearerChallenge } from "./types.ts";
import { withoutQuery } from "./without-query.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** What a server says about itself (RFC 9728), as far as it is used. */
export interface ResourceMetadata {
  /** Kept as it was written: an authorization server may compare it as text. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported?: readonly string[];
}

/**
 * Finds the metadata of the server: at the address in its challenge, otherwise at the two well-known
 * ones. Undefined if there is none; but a challenge that names some must keep its promise.
 */
export async function findResourceMetadata(
  serverUrl: string,
  challenge: BearerChallenge | undefined,
  fetch: GuardedFetch,
  now: () => number,
): Promise<ResourceMetadata | undefined> {
  const named = challenge?.resourceMetadata;
  const problems: string[] = [];
  const urls = [
    ...(named === undefined
      ? []
      : [allowedUrl(named, "resource metadata address", serverUrl).href]),
    ...wellKnownUrls(serverUrl),
  ];
  for (const url of new Set(urls)) {
    const answer = await getMetadata(fetch, url, now);
    if (answer.document !== undefined) return checkedMetadata(answer.document, url, serverUrl);
    problems.push(answer.problem);
  }
  if (named === undefined) return undefined;
  throw new OAuthFailure(
    "metadata",
    `The server requires a login, but its resource metadata cannot be used: ${problems[0]}`,
    { hint: "Ask the operator of the server to correct it" },
  );
}

function wellKnownUrls(serverUrl: string): string[] {
  const { origin, pathname, search } = new URL(serverUrl);
  const path = pathname.replace(/\/$/, "");
  return [`${origin}${WELL_KNOWN}${path}${search}`, `${origin}${WELL_KNOWN}`];
}

function checkedMetadata(document: JsonObject, url: string, serverUrl: string): ResourceMetadata {
  const { resource } = document;
  if (typeof resource !== "string" || !isResourceOf(resource, serverUrl))
    throw new OAuthFailure(
      "metadata",
      `The metadata at ${withoutQuery(url)} is for the resource '${foreignText(resource) ?? "(missing)"}', not for ${withoutQuery(serverUrl)}`,
      { hint: "Check the URL of the server: it must start with the resource" },
    );
  const scopesSupported = textsIn(document["scopes_supported"]);
  return {
    resource,
    authorizationServers: textsIn(document["authorization_servers"]) ?? [],
    ...(scopesSupported !== undefined && { scopesSupported }),
  };
}

/** True if the resource is the server, or a part of its path on the same origin. */
export function isResourceOf(resource: string, serverUrl: string): boolean {
  if (!URL.canParse(resource)) return false;
  const [named, own] = [new URL(resource), new URL(serverUrl)];
  if (named.origin !== own.origin || named.username !== "" || named.password !== "") return false;
  if (named.hash !== "" || (named.search !== "" && named.search !== own.search)) return false;
  const folder = (path: string): string => (path.endsWith("/") ? path : `${path}/`);
  return folder(own.pathname).startsWith(folder(named.pathname));
}
