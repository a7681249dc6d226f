/** Takes values that must not be seen out of a text. */
export type Redact = (text: string) => string;

const MIN_SECRET_CHARS = 6;
/** So many characters from the start or the end of a long secret are as good as the secret itself. */
const MIN_PART_CHARS = 12;
const MIN_LONG_SECRET_CHARS = 16;
const MASK = "[redacted]";
const LINE_BREAKS = /[\r\n]+/g;
/** What a long secret may be spread out with. */
const SEPARATORS = /[\s\-._|,]+/g;

/**
 * Hides each secret in the forms in which it turns up: as it is, in JSON, in a URL, in hexadecimal,
 * and in base64, also as a part of something longer such as `user:password`, in upper or lower case,
 * broken over several lines, spread out, backwards, or cut short. The secrets are asked for with the first text: often there
 * is none, and nobody should wait for it at the start.
 */
export function redactor(secrets: Iterable<string> | (() => Iterable<string>)): Redact {
  let redact: Redact | undefined;
  return (text) => {
    redact ??= hiding(typeof secrets === "function" ? secrets() : secrets);
    return redact(text);
  };
}

/**
 * The last `count` of some lines that were written one after the other. A secret may be broken over
 * several of them, or begin before those that are shown; where it is hidden its lines are joined.
 */
export function redactLines(redact: Redact, lines: readonly string[], count: number): string[] {
  return lines.length === 0 ? [] : redact(lines.join("\n")).split("\n").slice(-count);
}

function hiding(secrets: Iterable<string>): Redact {
  const forms = new Set<string>();
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  const withoutSeparators = Array.from(forms, (form) => form.replaceAll(SEPARATORS, ""));
  const spread = withoutSeparators.filter((form) => form.length >= MIN_LONG_SECRET_CHARS);
  const whole = hidingForms([...forms], LINE_BREAKS);
  const inPieces = hidingForms([...new Set(spread)], SEPARATORS);
  return (text) => inPieces(whole(text));
}

/**
 * Hides these forms, also with some of the ignored characters in between. They are looked up by how
 * they begin and end. One regular expression of all of them would take long to compile for a key of
 * many lines, and fail for a value that is very long.
 */
function hidingForms(forms: readonly string[], ignored: RegExp): Redact {
  if (forms.length === 0) return (text) => text;
  // The longest first, so that a secret that contains another is hidden as a whole.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  const byStart = groupedBy(sorted, (form) => form.slice(0, MIN_SECRET_CHARS));
  const byEnd = groupedBy(
    sorted.filter((form) => form.length >= MIN_LONG_SECRET_CHARS),
    (form) => form.slice(-MIN_SECRET_CHARS),
  );
  return (text) => {
    const { folded, offsetOf } = searchable(text, ignored);
    let shown = "";
    let done = 0;
    const hide = (start: number, end: number): void => {
      shown += text.slice(done, Math.max(done, offsetOf(start))) + MASK;
      done = offsetOf(end - 1) + 1;
    };
    for (let at = 0; at + MIN_SECRET_CHARS <= folded.length; at++) {
      const key = folded.slice(at, at + MIN_SECRET_CHARS);
      const fromStart = longest(byStart.get(key), (form) => lengthFrom(folded, at, form));
      if (fromStart > 0) {
        hide(at, at + fromStart);
        at += fromStart - 1;
        continue;
      }
      const end = at + MIN_SECRET_CHARS;
      const upToEnd = longest(byEnd.get(key), (form) => lengthUpTo(folded, end, form));
      if (upToEnd > 0) hide(end - upToEnd, end);
    }
    return done === 0 ? text : shown + text.slice(done);
  };
}

function groupedBy(
  forms: readonly string[],
  keyOf: (form: string) => string,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const form of forms) {
    const group = groups.get(keyOf(form));
    if (group === undefined) groups.set(keyOf(form), [form]);
    else group.push(form);
  }
  return groups;
}

/** The text as it is searched: without what is ignored, in lower case, each character as long as before. */
function searchable(
  text: string,
  ignored: RegExp,
): { folded: string; offsetOf: (at: number) => number } {
  const offsets: number[] = [];
  let kept = "";
  let from = 0;
  const keep = (to: number): void => {
    for (let at = from; at < to; at++) offsets.push(at);
    kept += text.slice(from, to);
  };
  for (const { 0: gap, index } of text.matchAll(ignored)) {
    keep(index);
    from = index + gap.length;
  }
  if (from === 0) return { folded: fold(text), offsetOf: (at) => at };
  keep(text.length);
  return { folded: fold(kept), offsetOf: (at) => offsets[at] ?? text.length };
}

/** ASCII only: the lower case of other letters may be longer than they are. */
function fold(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function longest(forms: readonly string[] | undefined, lengthOf: (form: string) => number): number {
  let most = 0;
  for (const form of forms ?? []) {
    if (form.length <= most) break;
    most = Math.max(most, lengthOf(form));
  }
  return most;
}

/** How much of a form begins here; 0 if it is too little to matter. */
function lengthFrom(text: string, at: number, form: string): number {
  if (text.startsWith(form, at)) return form.length;
  let length = 0;
  while (length < form.length && text[at + length] === form[length]) length++;
  return length >= minPart(form) ? length : 0;
}

/** How much of a form ends here; 0 if it is too little to matter. */
function lengthUpTo(text: string, end: number, form: string): number {
  let length = 0;
  while (length < form.length && length < end && text[end - 1 - length] === form.at(-1 - length))
    length++;
  return length >= minPart(form) ? length : 0;
}

/** Addresses have beginnings in common that are no secret. */
function minPart(form: string): number {
  if (form.length < MIN_LONG_SECRET_CHARS) return form.length;
  return form.includes("://") ? Math.max(MIN_PART_CHARS, form.length / 2) : MIN_PART_CHARS;
}

function formsOf(secret: string): string[] {
  if (secret.length < MIN_SECRET_CHARS) return [];
  const bytes = Buffer.from(secret);
  const base64 = base64Forms(bytes);
  const inJson = JSON.stringify(secret).slice(1, -1);
  const escaped = Array.from({ length: secret.length }, (_, at) => unicodeEscape(secret, at));
  const forms = [
    secret,
    Array.from(secret).toReversed().join(""),
    inJson,
    // What is in JSON within JSON, as errors are that quote a message.
    inJson.replaceAll("\\", "\\\\"),
    escaped.join(""),
    escaped.join("").replaceAll("\\", "\\\\"),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll("%20", "+"),
    Array.from(bytes, (byte) => `%${hexOf(byte)}`).join(""),
    bytes.toString("hex"),
    ...base64,
    ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
    ...base64.flatMap((form) => base64Forms(Buffer.from(form))),
  ];
  return forms.filter((form) => form.length >= MIN_SECRET_CHARS).map(fold);
}

function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => base64Within(bytes, offset));
}

function unicodeEscape(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** What a text in base64 contains of these bytes for certain, if so many others stand before them. */
function base64Within(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}
