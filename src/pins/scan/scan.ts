import { encodedCommand } from "./encoded-command.ts";
import { hiddenCharacters } from "./hidden-characters.ts";
import { phraseSignals } from "./phrases.ts";
import { disguisedWord } from "./plain-text.ts";

/** What a scan of one definition found. */
export interface ScanResult {
  /** Each of these alone is a finding. */
  readonly hard: readonly string[];
  /** Two of these together are a finding. */
  readonly soft: readonly string[];
}

const MIN_SOFT = 2;

export function isFinding({ hard, soft }: ScanResult): boolean {
  return hard.length > 0 || soft.length >= MIN_SOFT;
}

/** Reads the texts of a definition, without the network and without a model. */
export function scanTexts(texts: readonly string[], foreignTools: ForeignTools): ScanResult {
  const text = texts.join("\n");
  const hard: string[] = hiddenCharacters(text).map((kind) => `contains ${kind}`);
  const disguised = disguisedWord(text);
  if (disguised !== undefined) hard.push(`writes '${disguised}' with letters of other alphabets`);
  const command = encodedCommand(text);
  if (command !== undefined) hard.push("contains an encoded shell command");
  const soft: string[] = [...phraseSignals(texts)];
  const named = foreignTools.namedIn(text);
  if (named.length > 0) soft.push(`names tools of other servers: ${named.join(", ")}`);
  return { hard, soft };
}

/** All keys and strings of a definition. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const visit = (inner: unknown): void => {
    if (typeof inner === "string") texts.push(inner);
    else if (Array.isArray(inner)) inner.forEach(visit);
    else if (typeof inner === "object" && inner !== null)
      for (const [key, member] of Object.entries(inner)) {
        texts.push(key);
        visit(member);
      }
  };
  visit(value);
  return texts;
}

const MAX_NAMED = 3;

/** The tools of the other servers, to find texts that mention them. */
export class ForeignTools {
  static readonly NONE = new ForeignTools([], []);
  readonly #names: ReadonlySet<string>;

  /** Names that the server has itself do not count, nor do ordinary words. */
  constructor(own: Iterable<string>, others: Iterable<string>) {
    const known = new Set(own);
    this.#names = new Set([...others].filter((name) => isDistinctive(name) && !known.has(name)));
  }

  namedIn(text: string): readonly string[] {
    if (this.#names.size === 0) return [];
    const words = new Set(text.match(/[A-Za-z0-9][A-Za-z0-9_-]{5,}/g));
    return [...words].filter((word) => this.#names.has(word)).slice(0, MAX_NAMED);
  }
}

/** `read_file` and `readFile` are names; `search` is also a word. */
function isDistinctive(name: string): boolean {
  return name.length >= 6 && (/[a-z0-9][_-][a-z0-9]/i.test(name) || /[a-z][A-Z]/.test(name));
}
