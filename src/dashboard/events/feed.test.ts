import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DashboardContext } from "../context.ts";
import type { DashboardEvent, LiveCall } from "../contract.ts";
import { Feed } from "./feed.ts";
import type { UiStream } from "./ui-stream.ts";

/** A workbench without servers. */
function contextIn(folder: string): DashboardContext {
  const workbench = {
    startedAt: 0,
    settings: {},
    catalogues: { known: () => undefined },
    pipeline: { observers: { attach: () => () => {} } },
    host: { log: { readers: new Set() } },
    watchers: new Set(),
  };
  const calls = { clear: () => {} };
  const log = { add: () => {}, clear: () => {} };
  const view = { scope: new Map() };
  const env = { XDG_STATE_HOME: folder, HOME: folder };
  return { workbench, view, calls, log, env } as unknown as DashboardContext;
}

describe("the events of a page", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "feed-"));
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true, force: true });
  });

  it("say that some are missing if more happens at once than a page can show", () => {
    const feed = new Feed(contextIn(folder));
    const events: DashboardEvent[] = [];
    const stream = {
      send: (event: DashboardEvent) => events.push(event),
      onClosed: () => {},
      end: () => {},
    };
    feed.add(stream as unknown as UiStream);
    for (let id = 1; id <= 620; id++) feed.onCall({ id: String(id), state: "running" } as LiveCall);
    feed.onCall({ id: "1", state: "ok" } as LiveCall);
    vi.advanceTimersByTime(250);
    const calls = events.flatMap((event) => (event.type === "calls" ? event.calls : []));
    expect([calls.length, calls[0]?.state]).toEqual([500, "ok"]);
    expect(events.at(-1)).toEqual({ type: "lost", events: 120 });
    events.length = 0;
    vi.advanceTimersByTime(250);
    expect(events).toEqual([]);
    feed.close();
  });
});
