import { readFileSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

const DEBOUNCE_MS = 150;

/**
 * Calls `changed` some time after the file has other content than before. The folder is watched, not
 * the file, because editors replace files; a file that is missing for a moment is waited for.
 */
export function watchConfig(file: string, changed: () => void): () => void {
  let content = readOrUndefined(file);
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    timer = undefined;
    const next = readOrUndefined(file);
    if (next === content) return;
    content = next;
    changed();
  };
  const folder = dirname(file);
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name !== null && name !== basename(file)) return;
      clearTimeout(timer);
      timer = setTimeout(check, DEBOUNCE_MS).unref();
    });
    watcher.on("error", () => watcher.close());
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch {
    // A folder that cannot be watched costs the convenience, not the service.
    return () => {};
  }
}

function readOrUndefined(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
