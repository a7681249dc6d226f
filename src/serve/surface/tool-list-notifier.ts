/**
 * The tool list a client has, or would have if it had asked for it, as the texts of the tools. A
 * new list is compared with it, so that the client is notified once and only of a real change.
 */
export class ToolListNotifier {
  readonly #notify: () => void;
  #texts: readonly string[] | undefined;

  constructor(notify: () => void) {
    this.#notify = notify;
  }

  /** The client gets this list. */
  onSent(texts: readonly string[]): void {
    this.#texts = texts;
  }

  /** The list may change soon; this is the current one, unless the client has asked for it. */
  snapshot(texts: () => readonly string[]): void {
    this.#texts ??= texts();
  }

  /** Notifies the client if this list differs from the one it has. */
  update(texts: readonly string[]): void {
    const previous = this.#texts;
    this.#texts = texts;
    if (previous === undefined || !sameTexts(previous, texts)) this.#notify();
  }
}

export function sameTexts(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, i) => text === others[i]);
}
