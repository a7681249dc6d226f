/** Numbers, times and texts as people read them. */

const COUNT = new Intl.NumberFormat("en");
const ONE_DECIMAL = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export function formatCount(count: number): string {
  return COUNT.format(count);
}

export function formatPercent(ratio: number): string {
  return `${ONE_DECIMAL.format(ratio * 100)} %`;
}

export function formatDuration(ms: number): string {
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${ONE_DECIMAL.format(ms / 1000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${ONE_DECIMAL.format(bytes / 1e3)} kB`;
  return `${ONE_DECIMAL.format(bytes / 1e6)} MB`;
}

/** The time of day, with seconds. */
export function formatTime(time: number): string {
  const [hours, minutes, seconds] = clock(new Date(time));
  return `${hours}:${minutes}:${seconds}`;
}

/** Date and time of day, as people write them everywhere: 2026-11-17 09:05. */
export function formatDate(time: number): string {
  if (!Number.isFinite(time)) return "unknown";
  const date = new Date(time);
  const [hours, minutes] = clock(date);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join("-");
  return `${day} ${hours}:${minutes}`;
}

function clock(date: Date): string[] {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}
