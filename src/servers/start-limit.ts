/** How often a starting server is checked. */
const CHECK_MS = 1000;
/** A download may take this long. After that it is considered stuck. */
const MAX_DOWNLOAD_MS = 10 * 60_000;
/** The same for a command whose user waits, if a server that hangs looks like a download. */
const MAX_UNOBSERVED_MS = 3 * 60_000;

/** How long a start may take until the server runs, in milliseconds. */
export function maxDownloadMs(
  isCommand: boolean,
  platform: NodeJS.Platform = process.platform,
): number {
  return isCommand && platform !== "linux" ? MAX_UNOBSERVED_MS : MAX_DOWNLOAD_MS;
}

/** A server that is being started. */
export interface StartingServer {
  /** How long the server itself may take to connect. */
  readonly connectMs: number;
  /** How long it may take until the server runs. */
  readonly downloadMs: number;
  /** Whether the server runs, as opposed to a package manager that has yet to start it. */
  isRunning(): Promise<boolean>;
  onChecked(isDownloading: boolean): void;
  /** The error if the server is silent for `connectMs`. */
  silence(): Error;
  /** The error if the download takes too long. */
  stuck(): Error;
}

/**
 * Limits the time of a start through a package manager. The time the server has to connect begins
 * when the package manager starts it: ending a package manager in the middle of a download can
 * damage its cache.
 */
export async function limitStart<T>(server: StartingServer, work: Promise<T>): Promise<T> {
  const begin = performance.now();
  const { connectMs, downloadMs } = server;
  let runsSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const limit = new Promise<never>((_, reject) => {
    const check = async (): Promise<void> => {
      const isRunning = await server.isRunning();
      if (isOver) return;
      const now = performance.now();
      runsSince = isRunning ? (runsSince ?? now) : undefined;
      server.onChecked(!isRunning);
      if (runsSince !== undefined && now - runsSince >= connectMs) reject(server.silence());
      else if (now - begin >= connectMs + downloadMs) reject(server.stuck());
      else checkLater();
    };
    const checkLater = (): void => {
      timer = setTimeout(() => void check().catch(reject), Math.min(CHECK_MS, connectMs));
    };
    checkLater();
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    server.onChecked(false);
  }
}
