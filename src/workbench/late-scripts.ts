import type { Scripts } from "../scripts/scripts.ts";

/** Runs scripts. Everything they need is loaded with the first of them. */
export class LateScripts {
  #loading: Promise<Scripts> | undefined;
  #isClosed = false;

  load(): Promise<Scripts> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  close(): void {
    this.#isClosed = true;
    void this.#loading?.then((scripts) => scripts.close());
  }

  async #load(): Promise<Scripts> {
    try {
      const { Scripts } = await import("../scripts/scripts.ts");
      const scripts = new Scripts();
      if (this.#isClosed) scripts.close();
      return scripts;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}
