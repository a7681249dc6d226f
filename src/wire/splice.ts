/** Replaces pieces of a text or of a list of chunks, and leaves the rest unchanged. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `edits` are in order and do not overlap. */
export function editText(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of edits) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** The same over chunks; offsets count bytes from the start of the first. No byte is copied. */
export function editParts(parts: readonly Buffer[], edits: readonly Edit[]): (string | Buffer)[] {
  const result: (string | Buffer)[] = [];
  let at = 0;
  for (const edit of edits) {
    result.push(...range(parts, at, edit.start), edit.text);
    at = edit.end;
  }
  result.push(...range(parts, at, Infinity));
  return result;
}

function range(parts: readonly Buffer[], from: number, to: number): Buffer[] {
  const result: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const start = Math.max(from - offset, 0);
    const end = Math.min(to - offset, part.length);
    if (start < end)
      result.push(start === 0 && end === part.length ? part : part.subarray(start, end));
    offset += part.length;
  }
  return result;
}
