import { afterAll, afterEach, type TestContext } from "vitest";

/** Things to be undone, last first; every one is tried, and the first failure is reported. */
export class Disposables {
  readonly #undo: (() => unknown)[] = [];

  defer(undo: () => unknown): void {
    this.#undo.push(undo);
  }

  async dispose(): Promise<void> {
    const failures: unknown[] = [];
    for (let undo = this.#undo.pop(); undo !== undefined; undo = this.#undo.pop()) {
      try {
        await undo();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Disposables that are emptied after each test of the surrounding block. */
export function perTest(): Disposables {
  const disposables = new Disposables();
  afterEach(() => disposables.dispose());
  return disposables;
}

/** Disposables that are emptied once, after the last test of the surrounding block. */
export function perBlock(): Disposables {
  const disposables = new Disposables();
  afterAll(() => disposables.dispose());
  return disposables;
}

/** Disposables of a single test, for tests that run at the same time. */
export function disposablesOf({ onTestFinished }: TestContext): Disposables {
  const disposables = new Disposables();
  onTestFinished(() => disposables.dispose());
  return disposables;
}
