/**
 * Rules for texts that need more than a pattern. The Zod schema and the start-up check share them,
 * so that both give the same answer.
 */
export const FORMATS = { "server-url": isServerUrl } as const;

export type FormatName = keyof typeof FORMATS;

/**
 * True for the URL of a remote server. A text that still contains `${` is let through: it names a
 * variable that is not set, so its server is not available and nobody will connect to it.
 */
export function isServerUrl(text: string): boolean {
  if (text.includes("${")) return true;
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
