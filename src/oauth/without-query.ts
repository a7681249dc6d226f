/** A URL for messages: the query of a server's URL may contain a key, and metadata is looked for with it. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
