/**
 * What a description may begin with before it says what the tool does: front matter, code, headings,
 * notices, and lists of parameters.
 */

const FRONT_MATTER = /^---\s*$/;
const FENCE = /^\s*```\w*\s*$/;
const UNDERLINE = /^\s*(?:={3,}|-{3,})\s*$/;
/** `=== Title ===` */
const RULED_LINE = /^\s*(={2,}|-{2,}|~{2,})\s?[^=~-].{0,80}?\1\s*$/;
const HTML_HEADING = /^\s*<h([1-6])\b[^<>]{0,100}>.{0,200}?<\/h\1\s*>/i;
const BOLD_LINE = /^\s*\*\*[^*]{1,80}\*\*\s*$/;
const SENTENCE_END = /[.!?][^\p{L}\p{N}]*$/u;
const SECTION =
  /^[^\p{L}\p{N}]*(?:args|arguments|param(?:eter)?s|inputs?|outputs?|returns|raises)[^\p{L}\p{N}]*$/iu;
const EXAMPLE = /^[^\p{L}\p{N}]*examples?[^\p{L}\p{N}:]*(?::|$)/iu;
const TAG = /^\s*@(?:param|returns?|throws|example)\b/;
/** `- id (string): what it is`, `**id**: what it is` */
const PARAMETER = /^\s*(?:[-*+•]\s|[`*]*\w+[`*]*\s*(?:\([^()]*\))?\s*:\s)/;
const REQUIREMENT =
  /^[^\p{L}\p{N}]*(?:(?:required|needed|minimum) (?:oauth )?(?:scopes?|permissions?|roles?|access)|(?:scopes?|permissions?) (?:required|needed)|requires? (?:scopes?|permissions?))[^\p{L}\p{N}]*:/iu;
/** "Requires the `repo` scope." before a sentence that says more. */
const REQUIRED =
  /^[^\p{L}\p{N}]*requires? (?:the |an? )?[^\s.!?]{1,60} (?:oauth )?(?:scopes?|permissions?|roles?)[.!]\s+(?=\S)/iu;
/** `**Tool:** its_name`, also with its description on the same line. */
const LABELLED_NAME =
  /^[^\p{L}\p{N}]*(?:tool(?: name)?|name)[^\p{L}\p{N}]*:[^\p{L}\p{N}]*[\w.-]{1,100}[^\p{L}\p{N}]*(?:$|(?=description\s*:))/iu;
const VERSION = /^[^\p{L}\p{N}]*v(?:ersion)?[\s:]*\d[\d.]{0,20}[.!]\s+(?=\S)/iu;
const NOTICE = /^[^\p{L}\p{N}]*(?:important|warning|caution|attention|note)[^\p{L}\p{N}]*:/iu;
const FIRST_SENTENCE = /^(?:[^.!?]|[.!?](?!\s)){0,500}[.!?]+\s+(?=\S)/;
const NEW_BLOCK = /^\s*(?:[-*+•|@]|#{1,6}\s|\d{1,2}[.)])/;

/** A first line without labels, which no line below makes a heading: most descriptions, so this saves time. */
const PLAIN = /^(?![Rr]equires? |[Vv](?:ersion)?\s?\d)[A-Za-z][^:\n]*(?:\n(?!\s*(?:={3}|-{3}))|$)/;

interface Skipped {
  /** The first line after it. */
  readonly next: number;
  /** What is left of the line before that. */
  readonly rest?: string;
  /** What to show if nothing better follows. */
  readonly instead?: string;
}

/** The text from where the purpose may begin; a heading or a notice if nothing follows it. */
export function withoutPreamble(text: string): string {
  if (PLAIN.test(text)) return text;
  const lines = text.split(/\r?\n/);
  let at = 0;
  let instead = "";
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const skipped = line.trim() === "" ? { next: at + 1 } : skip(lines, at);
    if (skipped === undefined) break;
    instead ||= skipped.instead ?? "";
    at = skipped.next;
    if (skipped.rest !== undefined) lines[--at] = skipped.rest;
  }
  const isBetter = at < lines.length && !(instead !== "" && NEW_BLOCK.test(lines[at] ?? ""));
  return isBetter ? lines.slice(at).join("\n") : instead;
}

function skip(lines: readonly string[], at: number): Skipped | undefined {
  const line = lines[at] ?? "";
  if (FRONT_MATTER.test(line)) return afterFrontMatter(lines, at);
  if (FENCE.test(line)) return { next: afterLine(lines, at + 1, FENCE) ?? at + 1 };
  if (SECTION.test(line)) return { next: afterParameters(lines, at + 1) };
  if (EXAMPLE.test(line) || TAG.test(line)) return { next: at + 1 };
  const name = LABELLED_NAME.exec(line)?.[0];
  if (name !== undefined) return { next: at + 1, rest: line.slice(name.length) };
  const heading =
    HTML_HEADING.exec(line)?.[0] ?? REQUIRED.exec(line)?.[0] ?? VERSION.exec(line)?.[0];
  if (heading !== undefined)
    return { next: at + 1, rest: line.slice(heading.length), instead: heading };
  // The scopes of a tool say nothing about it, so they are not better than what its server says.
  if (REQUIREMENT.test(line)) return { ...afterSentence(lines, at), instead: "" };
  if (NOTICE.test(line)) return afterSentence(lines, at);
  if (SENTENCE_END.test(line)) return undefined;
  if (UNDERLINE.test(lines[at + 1] ?? "")) return { next: at + 2, instead: line };
  return BOLD_LINE.test(line) || RULED_LINE.test(line)
    ? { next: at + 1, instead: line }
    : undefined;
}

/** One with a description is read as it is. */
function afterFrontMatter(lines: readonly string[], at: number): Skipped {
  const next = afterLine(lines, at + 1, FRONT_MATTER) ?? at + 1;
  const isDescribed = lines.slice(at, next).some((line) => /^description\s*:/i.test(line));
  return { next: isDescribed ? at + 1 : next };
}

function afterLine(lines: readonly string[], from: number, end: RegExp): number | undefined {
  const found = lines.findIndex((line, i) => i >= from && end.test(line));
  return found < 0 ? undefined : found + 1;
}

/** Up to the first blank line everything that is indented, after that only what looks like a parameter. */
function afterParameters(lines: readonly string[], from: number): number {
  let isFirstBlock = true;
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isBlank = line.trim() === "";
    if (isBlank && at > from) isFirstBlock = false;
    const isIndented = isFirstBlock && /^\s/.test(line);
    if (!isBlank && !isIndented && !PARAMETER.test(line)) break;
    if (SECTION.test(line)) break;
  }
  return at;
}

function afterSentence(lines: readonly string[], at: number): Skipped {
  const line = lines[at] ?? "";
  const sentence = FIRST_SENTENCE.exec(line)?.[0];
  if (sentence !== undefined)
    return { next: at + 1, rest: line.slice(sentence.length), instead: sentence };
  let next = at + 1;
  if (!SENTENCE_END.test(line)) while (/^\s*\p{Ll}/u.test(lines[next] ?? "")) next++;
  return { next, instead: lines.slice(at, next).join("\n") };
}
