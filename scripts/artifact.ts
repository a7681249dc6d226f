/** A file that is generated from the sources. */
export interface Artifact {
  readonly path: string;
  /** The new text of the file, given its current text. */
  readonly render: (current: string) => string;
}

const END = "<!-- end of the generated part -->";

/** The document with the part between its markers replaced. */
export function replaceBetweenMarkers(document: string, begin: string, content: string): string {
  const start = document.indexOf(begin);
  const end = document.indexOf(END, start);
  if (start === -1 || end === -1)
    throw new Error(`The document lacks the line "${begin}" or "${END}"`);
  return `${document.slice(0, start + begin.length)}\n\n${content}\n\n${document.slice(end)}`;
}
