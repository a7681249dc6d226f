/** Takes values that must not be seen out of a text. */
export type Redact = (text: string) => string;

const SHORTEST = 6;
const MASK = "[redacted]";

/**
 * Hides each secret in the forms in which it turns up: as it is, in JSON, in a URL, in hexadecimal,
 * and in base64, also as a part of something longer such as `user:password`. They are asked for with
 * the first text: often there is none, and nobody should wait for it at the start.
 */
export function redactor(secrets: Iterable<string> | (() => Iterable<string>)): Redact {
  let redact: Redact | undefined;
  return (text) => {
    redact ??= hiding(typeof secrets === "function" ? secrets() : secrets);
    return redact(text);
  };
}

/**
 * The forms are looked up by how they begin. One regular expression of all of them would take long to
 * compile for a key of many lines, and fail for a value that is very long.
 */
function hiding(secrets: Iterable<string>): Redact {
  const forms = new Set<string>();
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  if (forms.size === 0) return (text) => text;
  const byStart = new Map<string, string[]>();
  // The longest first, so that a secret that contains another is hidden as a whole.
  for (const form of [...forms].sort((a, b) => b.length - a.length)) {
    const start = form.slice(0, SHORTEST);
    const others = byStart.get(start);
    if (others === undefined) byStart.set(start, [form]);
    else others.push(form);
  }
  return (text) => {
    let shown = "";
    let done = 0;
    for (let at = 0; at + SHORTEST <= text.length; at++) {
      const candidates = byStart.get(text.slice(at, at + SHORTEST));
      const found = candidates?.find((form) => text.startsWith(form, at));
      if (found === undefined) continue;
      shown += text.slice(done, at) + MASK;
      done = at + found.length;
      at = done - 1;
    }
    return done === 0 ? text : shown + text.slice(done);
  };
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
