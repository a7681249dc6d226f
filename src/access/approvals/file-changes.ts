import { versionOf } from "../../files/file-version.ts";

const POLL_MS = 250;

/** Notices answers of other processes. Checks the file only while a call waits. */
export class FileChanges {
  readonly #file: string;
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #version: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves with the next change, or when the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
      this.#watch();
    });
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#version = versionOf(this.#file);
    this.#timer = setInterval(() => {
      const version = versionOf(this.#file);
      if (version === this.#version) return;
      this.#version = version;
      for (const wake of this.#waiting) wake();
    }, POLL_MS);
  }
}
