/** Where the page is: kept in the fragment of the address, so that links and the back button work. */
export interface Route {
  /** The name of a page, such as `tools`. */
  readonly page: string;
  /** What follows the page, such as toolbox, server and tool. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

export const HOME = "servers";

export function parseRoute(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#?\/?/, "").split("?", 2);
  const [page = "", ...rest] = path.split("/").filter(Boolean).map(decoded);
  return { page: page || HOME, path: rest, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The link to a place; empty values are left out of the query. */
export function linkTo(
  page: string,
  path: readonly string[] = [],
  query: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const text = new URLSearchParams(given).toString();
  return `#/${[page, ...path].map(encoded).join("/")}${text && `?${text}`}`;
}

/** Names of servers may contain half a character, which an address cannot. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd"));
}

/** People edit addresses. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
