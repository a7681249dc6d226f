import { isWorkbenchError } from "../errors.ts";
import { writeFileAtomic } from "./write-atomic.ts";

const TRIES = 5;

/**
 * Replaces a private file by what `change` makes of its text. If another process writes it at the same time,
 * reads it again, so that neither change is lost.
 */
export async function updateFile(
  file: string,
  read: () => string | undefined,
  change: (before: string | undefined) => string,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = read();
    const after = change(before);
    if (after === before) return;
    try {
      return await writeFileAtomic(file, after, { expect: { text: before }, mode: 0o600 });
    } catch (error) {
      const isLost = isWorkbenchError(error) && error.code === "FILE_CHANGED" && tries < TRIES;
      if (!isLost) throw error;
    }
  }
}
