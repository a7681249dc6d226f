/** String formats that need more than a pattern, shared by the Zod schema and the fast check. */
export const FORMATS = { "server-url": isServerUrl } as const;

export type FormatName = keyof typeof FORMATS;

/**
 * True for the URL of a remote server. A text that still contains `${` is accepted: it refers to a
 * variable that is not set, so the server is unavailable and never connected.
 */
export function isServerUrl(text: string): boolean {
  if (text.includes("${")) return true;
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
