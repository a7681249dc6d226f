/**
 * The list of tools a client has, or would have if it had asked, as the texts of the tools: what a
 * list is compared with to tell the client of another one, once and only if it is another.
 */
export class ToolListNotifier {
  readonly #tell: () => void;
  #texts: readonly string[] | undefined;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  /** The client is given this list. */
  onSent(texts: readonly string[]): void {
    this.#texts = texts;
  }

  /** The list may soon be another; this is what it is until then, unless the client has asked. */
  snapshot(texts: () => readonly string[]): void {
    this.#texts ??= texts();
  }

  /** Tells the client if it has another list than this one. */
  update(texts: readonly string[]): void {
    const shown = this.#texts;
    this.#texts = texts;
    if (shown === undefined || !sameTexts(shown, texts)) this.#tell();
  }
}

export function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, i) => text === others[i]);
}
