import { PartIndex, SKIPPED, UNREAD } from "./part-index.ts";
import { type View, bytesOf, hasEscapes, originsOf, searchText } from "./search-view.ts";

/** Removes secret values from a text. */
export type Redact = (text: string) => string;

/** Shorter values occur in ordinary text, and hiding them there would reveal more than it hides. */
export const MIN_SECRET_CHARS = 6;
/** Shorter forms would match ordinary text once everything between letters is ignored. */
const MIN_SPREAD_CHARS = 12;
const MASK = "[redacted]";
const LINE_BREAKS = /[\r\n]+/g;
const LINE_BREAKS_AND_BACKSLASHES = /[\r\n\\]+/g;
/**
 * Characters that may separate the letters of a secret, including colours and zero-width
 * characters.
 */
const SEPARATORS =
  // oxlint-disable-next-line no-control-regex -- control characters are among them
  /(?:\u001b\[[\d;]*[a-z]|[\s\-._|,:;"'`*<>()[\]{}\\\u0000-\u001f\u007f]|\u00e2\u0080[\u008b-\u008f]|\u00ef\u00bb\u00bf|\u00c2\u00ad)+/gi;

/**
 * Hides each secret in all the forms it may take: unchanged, with some or all characters escaped as
 * in JSON, URLs, HTML or programming languages, in hexadecimal, in base64 (also as part of
 * something longer such as `user:password`), in upper or lower case, broken over several lines,
 * spread out, backwards, or cut short. The secrets are requested with the first text: often there
 * is none, and the start should not wait for them.
 */
export function redactor(secrets: Iterable<string> | (() => Iterable<string>)): Redact {
  let redact: Redact | undefined;
  return (text) => {
    redact ??= hiding(typeof secrets === "function" ? secrets() : secrets);
    return redact(text);
  };
}

/**
 * The last `count` of some consecutive lines. A secret may span several of them, or begin before
 * those that are shown; where it is hidden its lines are joined.
 */
export function redactLines(redact: Redact, lines: readonly string[], count: number): string[] {
  return lines.length === 0 ? [] : redact(lines.join("\n")).split("\n").slice(-count);
}

function hiding(secrets: Iterable<string>): Redact {
  const all = Array.from(secrets).filter(({ length }) => length >= MIN_SECRET_CHARS);
  if (all.length === 0) return (text) => text;
  const searched = (form: string): string => bytesOf(form).toLowerCase();
  const forms = {
    divided: all.flatMap(mainForms).map(searched),
    others: all.flatMap(otherForms).map(searched),
  };
  const whole = indexOf(forms, (form) => [
    form.replaceAll(LINE_BREAKS, ""),
    form.replaceAll(LINE_BREAKS_AND_BACKSLASHES, ""),
  ]);
  const spread = indexOf(forms, (form) => {
    const dense = form.includes("://") ? "" : form.replaceAll(SEPARATORS, "");
    return dense.length < MIN_SPREAD_CHARS ? [] : [dense];
  });
  const [codes, denseCodes] = [plainCodes(LINE_BREAKS), plainCodes(SEPARATORS)];
  return (text) => {
    const bytes = Buffer.from(text);
    if (!whole.mayBeIn(bytes, codes) && !spread.mayBeIn(bytes, denseCodes)) return text;
    const decoded = hasEscapes(text);
    // First, because the others would hide only the part of a secret that has no escapes.
    let shown = text;
    if (decoded) shown = hide(shown, whole, { ignored: LINE_BREAKS_AND_BACKSLASHES, decoded });
    shown = hide(shown, whole, { ignored: LINE_BREAKS, decoded: false });
    return hide(shown, spread, { ignored: SEPARATORS, decoded });
  };
}

/** Characters that an escape begins with. */
const ESCAPING = "%&\\";

/** Text of printable ASCII without escapes needs no view of its own: each character is searched as it is, or ignored. */
function plainCodes(ignored: RegExp): Uint8Array {
  return Uint8Array.from({ length: 0x100 }, (_, code) => {
    const character = String.fromCharCode(code);
    if (code < 0x20 || code > 0x7e || ESCAPING.includes(character)) return UNREAD;
    if (character.replaceAll(ignored, "") === "") return SKIPPED;
    return character.toLowerCase().charCodeAt(0);
  });
}

interface Forms {
  readonly divided: readonly string[];
  readonly others: readonly string[];
}

function indexOf({ divided, others }: Forms, change: (form: string) => string[]): PartIndex {
  const changed = (forms: readonly string[]): string[] =>
    forms.flatMap(change).filter(({ length }) => length >= MIN_SECRET_CHARS);
  return new PartIndex({ divided: changed(divided), others: changed(others) });
}

function hide(text: string, index: PartIndex, view: View): string {
  const stretches = index.find(searchText(text, view));
  if (stretches.length === 0) return text;
  const { starts, ends } = originsOf(text, view);
  let shown = "";
  let done = 0;
  for (const { start, end } of stretches) {
    shown += text.slice(done, Math.max(done, starts[start] ?? 0)) + MASK;
    done = ends[end - 1] ?? text.length;
  }
  return shown + text.slice(done);
}

/** The usual forms of a secret, without escapes: those are resolved in the text. */
function mainForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString("hex"), ...base64Forms(bytes)];
}

function otherForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = base64Forms(bytes);
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [
    Array.from(secret).toReversed().join(""),
    inJson,
    // JSON within JSON, as in errors that quote a message.
    inJson.replaceAll("\\", "\\\\"),
    secret.replaceAll(" ", "+"),
    Array.from(bytes, (byte) => `0x${byte.toString(16)}`).join(","),
    bytes.join(","),
    ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
    ...base64.flatMap((form) => base64Forms(Buffer.from(form))),
  ];
}

function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => base64Within(bytes, offset));
}

/** The base64 characters that certainly encode these bytes, after so many other bytes. */
function base64Within(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}
