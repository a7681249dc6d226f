import type { SharedFile } from "../../src/access/state-file.ts";
import type { VersionedText } from "../../src/cluster/shared-text.ts";

/** A shared text in memory, which each machine can be cut off from. */
export class FakeSharedText {
  stored: VersionedText | undefined;
  /** Called before a text is replaced, to be faster than the caller. */
  beforeReplace: (() => void) | undefined;
  #versions = 0;

  /** The text as one machine sees it. */
  seenBy(machine: { readonly isCutOff: boolean }): SharedFile["shared"] {
    const assertUp = (): void => {
      if (machine.isCutOff) throw new Error("Redis is not reachable");
    };
    return {
      read: async () => {
        assertUp();
        return this.stored;
      },
      replace: async (before, text) => {
        assertUp();
        this.beforeReplace?.();
        return this.replace(before, text);
      },
    };
  }

  replace(before: VersionedText | undefined, text: string): boolean {
    if (this.stored?.version !== before?.version) return false;
    this.stored = { text, version: String(++this.#versions) };
    return true;
  }
}
