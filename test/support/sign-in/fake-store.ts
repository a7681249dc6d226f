import type { CredentialId, CredentialRecord } from "../../../src/credentials/record.ts";
import type { CredentialStore, SharedFailure } from "../../../src/credentials/types.ts";

/** A credential store in memory. Several engines with one store are like several processes. */
export class FakeStore {
  readonly records = new Map<string, CredentialRecord>();
  /** What `assertHeld` throws, and what `write` throws, if set. */
  lockProblem: Error | undefined;
  writeProblem: Error | undefined;
  /** What `read` throws until something is written, if set. */
  readProblem: Error | undefined;
  writes = 0;
  readonly #watchers = new Set<() => void>();
  #turn: Promise<unknown> = Promise.resolve();
  #failure: SharedFailure | undefined;

  /** One engine's view; `watches: false` is a process that learns of changes only by reading. */
  open({ watches = true } = {}): CredentialStore {
    return {
      read: async (id) => {
        if (this.readProblem !== undefined) throw this.readProblem;
        return this.records.get(keyOf(id));
      },
      prepare: async () => {},
      write: async (record) => {
        if (this.writeProblem !== undefined) throw this.writeProblem;
        this.writes += 1;
        this.readProblem = undefined;
        this.put(record);
      },
      remove: async (id) => {
        const removed = this.records.delete(keyOf(id));
        this.#changed();
        return removed;
      },
      removeFile: async (file) => this.records.delete(file),
      list: async () => [...this.records].map(([file, record]) => ({ file, record })),
      withLock: async (_id, work) => {
        const before = this.#failure;
        const turn = this.#turn.then(() =>
          work({
            assertHeld: async () => {
              if (this.lockProblem !== undefined) throw this.lockProblem;
            },
            failure: this.#failure === before ? undefined : this.#failure,
            shareFailure: async (failure) => {
              this.#failure = failure;
            },
          }),
        );
        this.#turn = turn.catch(() => {});
        return turn;
      },
      watch: (onChange) => {
        if (watches) this.#watchers.add(onChange);
        return () => void this.#watchers.delete(onChange);
      },
      protection: async () => ({ kind: "file" }),
      check: async () => {
        throw new Error("not part of this store");
      },
    };
  }

  put(record: CredentialRecord): void {
    this.records.set(keyOf(record), structuredClone(record));
    this.#changed();
  }

  only(): CredentialRecord {
    const [record] = this.records.values();
    if (record === undefined) throw new Error("nothing is stored");
    return record;
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

function keyOf({ url, account }: CredentialId): string {
  return JSON.stringify([url, account]);
}
