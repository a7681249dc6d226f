/** The fenced blocks of a document, and what they show. */

export interface Block {
  readonly language: string;
  readonly lines: readonly string[];
}

export function blocksOf(document: string): readonly Block[] {
  return Array.from(
    document.matchAll(/^```(\w+)\n([^]*?)^```$/gm),
    ([, language = "", text = ""]) => ({
      language,
      lines: text.replace(/\n$/, "").split("\n"),
    }),
  );
}

/** A command, and the lines that are shown below it. */
export interface Shown {
  readonly command: string;
  readonly output: readonly string[];
}

/** The commands of a console block, each with its output. */
export function shownIn({ lines }: Block): readonly Shown[] {
  const shown: { command: string; output: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith("$ ")) shown.push({ command: line.slice(2), output: [] });
    else shown.at(-1)?.output.push(line);
  }
  return shown;
}

/** The output as a reader sees it: without colours, and with overwritten lines only once. */
export function readable(screen: string): readonly string[] {
  const lines = screen
    .split("\n")
    .map((line) => (line.replace(/\r$/, "").split("\r").at(-1) ?? "").trimEnd());
  return trimmed(lines);
}

/**
 * The first difference between the documented and the actual output, or undefined. `…` matches
 * anything within a line, and on its own line any number of lines. Servers connect in any order.
 */
export function difference(
  shown: readonly string[],
  printed: readonly string[],
): string | undefined {
  const rest = [...sorted(printed)];
  let mayBeLeftOut = false;
  for (const line of trimmed(sorted(shown))) {
    if (line === "…") {
      mayBeLeftOut = true;
      continue;
    }
    const at = mayBeLeftOut ? rest.findIndex((one) => matches(line, one)) : 0;
    const found = rest[at];
    if (found === undefined || !matches(line, found))
      return `shown: ${line}\nprinted: ${rest.slice(0, 5).join("\n         ")}`;
    rest.splice(0, at + 1);
    mayBeLeftOut = false;
  }
  if (mayBeLeftOut || rest.length === 0) return undefined;
  return `printed, but not shown: ${rest.join("\n")}`;
}

function matches(shown: string, printed: string): boolean {
  const parts = shown
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`).test(printed);
}

function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first === -1 ? [] : lines.slice(first, last + 1);
}

const CONNECTED = /^ *✓ [\w-]+\/[\w-]+\b/;

/** Neighbouring lines about servers in the order of their names. */
function sorted(lines: readonly string[]): readonly string[] {
  const result: string[] = [];
  let group: string[] = [];
  for (const line of lines) {
    if (CONNECTED.test(line)) group.push(line);
    else {
      result.push(...group.toSorted(), line);
      group = [];
    }
  }
  return [...result, ...group.toSorted()];
}
