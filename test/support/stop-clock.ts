import { onTestFinished, vi } from "vitest";

/** Timers fire when the test advances them; network traffic does not wait. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
}
