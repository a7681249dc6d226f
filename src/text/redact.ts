/** Takes values that must not be seen out of a text. */
export type Redact = (text: string) => string;

const SHORTEST = 6;
const MASK = "[redacted]";

/**
 * Hides each secret in the forms in which it turns up: as it is, in JSON, in a URL, in hexadecimal,
 * and in base64, also as a part of something longer such as `user:password`.
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
  const base64 = [0, 1, 2].map((offset) => base64Within(bytes, offset));
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString("hex"),
    ...base64,
    ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
  ];
  return forms.filter((form) => form.length >= SHORTEST);
}

/** What a text in base64 contains of these bytes for certain, if so many others stand before them. */
function base64Within(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}
