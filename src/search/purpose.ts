/**
 * Where a description states its purpose. Many begin with a heading, with warnings before the
 * purpose, or with a title whose line is followed by a list of errors or parameters.
 */

/** A line that is nothing but markup, a number or a label: `---`, `1.`, `<tool>`, `Arguments:`, `🛡️ Guardrails:`. */
const NOT_TEXT =
  /^(?:[^\p{L}\p{N}]*(?:\d{1,2}[.)]?)?|<[^<>]{1,100}>|[^.!?:]{1,30}:[^\p{L}\p{N}]*)$/u;
const MARKDOWN_HEADING = /^\s{0,3}#{1,6}\s+\S/;
/** A label on its own line, or at the start of one, that announces the purpose. */
const PURPOSE_LABEL =
  /^[^\p{L}\p{N}]*(?:purpose|description|summary|overview|what it does)[^\p{L}\p{N}]*(?::[^\p{L}\p{N}]*|$)/iu;
/** What is needed to use a tool, which does not say what it does. */
const REQUIREMENT =
  /^[^\p{L}\p{N}]*(?:(?:required|needed|minimum) (?:oauth )?(?:scopes?|permissions?|roles?|access)|(?:scopes?|permissions?) (?:required|needed)|requires? (?:scopes?|permissions?))\b.{0,200}$/iu;
const LIST_MARKER = /^\s*(?:[-*+•]|\d{1,2}[.)])\s+/;
/** The first line of a description that consists of sections. */
const FIRST_SECTION = /^(?:tool )?(?:name|title)\s*:/i;
/** What cannot continue the sentence of the line before: a list, a label, a tag, a table or code. */
const NEW_BLOCK =
  /^\s*(?:[-*+•|<>@]|#{1,6}\s|\d{1,3}[.):]|```|\p{Extended_Pictographic}|[A-Z][^.!?:]{0,40}:(?:\s|$))/u;

/** The part of a description that says what a tool does; the whole text if that is unclear. */
export function purposeIn(text: string): string {
  const lines = text.split(/\r?\n/);
  const start = purposeLine(lines);
  if (start === undefined) return text;
  let end = start + 1;
  while (end < lines.length && !isBlockStart(lines[end] ?? "")) end++;
  const purpose = lines.slice(start, end).join("\n");
  return (withoutLabel(purpose) || purpose).replace(LIST_MARKER, "");
}

function withoutLabel(text: string): string {
  return text.replace(PURPOSE_LABEL, "").trim();
}

function isBlockStart(line: string): boolean {
  return line.trim() === "" || NEW_BLOCK.test(line);
}

/**
 * The line with the purpose: in a description that begins with a heading, after the label of the
 * purpose if there is one; otherwise the first with text.
 */
function purposeLine(lines: readonly string[]): number | undefined {
  const begin = lines.find((line) => line.trim() !== "")?.trim() ?? "";
  const hasSections = [NOT_TEXT, MARKDOWN_HEADING, PURPOSE_LABEL, FIRST_SECTION].some((pattern) =>
    pattern.test(begin),
  );
  const label = hasSections ? lines.findIndex((line) => PURPOSE_LABEL.test(line)) : -1;
  if (label >= 0) {
    if (withoutLabel(lines[label] ?? "") !== "") return label;
    const after = nextText(lines, label + 1);
    if (after !== undefined) return after;
  }
  const first = nextText(lines, 0);
  if (first === undefined || !MARKDOWN_HEADING.test(lines[first] ?? "")) return first;
  // A heading is better than a list of parameters.
  const after = lines.findIndex((line, i) => i > first && line.trim() !== "");
  return after < 0 || isBlockStart(lines[after] ?? "") ? first : after;
}

function isNotText(line: string): boolean {
  return NOT_TEXT.test(line) || REQUIREMENT.test(line);
}

function nextText(lines: readonly string[], from: number): number | undefined {
  const at = lines.findIndex((line, i) => i >= from && !isNotText(line.trim()));
  return at < 0 ? undefined : at;
}
