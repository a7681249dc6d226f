/** Takes values that must not be seen out of a text. */
export type Redact = (text: string) => string;

const SHORTEST = 6;
const MASK = "[redacted]";

/**
 * Hides each secret in the forms in which it turns up: as it is, in JSON, in a URL, and in base64
 * as part of an Authorization header.
 */
export function redactor(secrets: Iterable<string>): Redact {
  const forms = new Set<string>();
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  if (forms.size === 0) return (text) => text;
  // The longest first, so that a secret that contains another is hidden as a whole.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(
    ordered.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"),
    "g",
  );
  return (text) => text.replace(pattern, MASK);
}

function formsOf(secret: string): string[] {
  if (secret.length < SHORTEST) return [];
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString("base64");
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    base64.replace(/=+$/, ""),
    bytes.toString("base64url"),
  ];
  return forms.filter((form) => form.length >= SHORTEST);
}
