import { addedLines } from "../../text/log-filter.ts";

/** What a server, or one of its processes, wrote to standard error. */
export interface ServerOutput {
  /** The workbench that runs it. */
  readonly pid: number;
  readonly toolbox: string;
  readonly server: string;
  /** The process of the server; null for the last output of one that does not run. */
  readonly process: number | null;
  readonly stderr: readonly string[];
}

/** Finds the lines that servers have written since the last time. */
export class FollowedOutput {
  #known = new Map<string, readonly string[]>();
  /** Of the process that was seen last. */
  readonly #last = new Map<string, readonly string[]>();

  /** What is new in the output of all servers. */
  added<T extends ServerOutput>(outputs: readonly T[]): { output: T; lines: readonly string[] }[] {
    const next = new Map<string, readonly string[]>();
    const added = outputs.map((output) => {
      const { pid, toolbox, server, process, stderr } = output;
      const place = `${pid} ${toolbox}/${server}`;
      const key = `${place} ${process}`;
      // A process may begin with the same lines as the one before it.
      const before = this.#known.get(key) ?? (process === null ? this.#last.get(place) : undefined);
      next.set(key, stderr);
      this.#last.set(place, stderr);
      return { output, lines: addedLines(before ?? [], stderr) };
    });
    this.#known = next;
    return added;
  }
}
