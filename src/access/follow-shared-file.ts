import { reasonOf } from "../errors.ts";
import { versionOf } from "../files/file-version.ts";
import type { Logger } from "../log.ts";

/** A command on this machine may have changed the file without Redis. */
const CHECK_MS = 1000;

export interface Followed {
  readonly path: string;
  /** Takes over what other replicas have changed, and shares what was changed here. */
  readonly sync: () => Promise<void>;
  /** Calls back when other replicas may have changed it. */
  readonly follow: (onChange: () => void) => () => void;
}

/** Keeps a file of this machine and what replicas share the same, until the returned function is called. */
export function followSharedFile({ path, sync, follow }: Followed, log: Logger): () => void {
  let running: Promise<void> | undefined;
  let isDue = false;
  let seen: string | undefined;
  let problem = "";
  const run = async (): Promise<void> => {
    while (isDue) {
      isDue = false;
      // Before it is read, so that a change in the meantime is noticed.
      seen = versionOf(path);
      try {
        await sync();
        problem = "";
      } catch (error) {
        if (problem !== reasonOf(error))
          log.error(`not shared with other replicas: ${reasonOf(error)}`);
        problem = reasonOf(error);
      }
    }
  };
  const onChange = (): void => {
    isDue = true;
    running ??= run().finally(() => {
      running = undefined;
      if (isDue) onChange();
    });
  };
  const end = follow(onChange);
  const timer = setInterval(() => {
    if (versionOf(path) !== seen) onChange();
  }, CHECK_MS).unref();
  return () => {
    clearInterval(timer);
    end();
  };
}
