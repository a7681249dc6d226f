import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { NotificationThrottle } from "./notification-throttle.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const PROMPTS = "notifications/prompts/list_changed";
const RESOURCES = "notifications/resources/list_changed";
const LOG = "notifications/message";

function newsTo(): { news: NotificationThrottle; told: [string, object][] } {
  const told: [string, object][] = [];
  return {
    news: new NotificationThrottle(({ method, params }) => void told.push([method, params])),
    told,
  };
}

const count = (told: readonly [string, object][], method: string): number =>
  told.filter(([each]) => each === method).length;

describe("the notification throttle", () => {
  it("passes notifications on in order and unchanged", () => {
    const { news, told } = newsTo();
    news.send({ method: LOG, params: { data: 1 } });
    news.send({ method: "notifications/custom", params: { data: 2 } });
    expect(told).toEqual([
      [LOG, { data: 1 }],
      ["notifications/custom", { data: 2 }],
    ]);
  });

  it("merges list changes, separately for each list", () => {
    const { news, told } = newsTo();
    for (let i = 0; i < 100; i++) {
      news.send({ method: PROMPTS, params: { i } });
      news.send({ method: RESOURCES, params: { i } });
    }
    expect(told).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(told).toEqual([
      [PROMPTS, {}],
      [RESOURCES, {}],
    ]);
    news.send({ method: PROMPTS, params: {} });
    vi.advanceTimersByTime(50);
    expect(count(told, PROMPTS)).toBe(2);
  });

  it("limits a flood of one method, and lets other methods pass", () => {
    const { news, told } = newsTo();
    for (let i = 0; i < 10_000; i++) news.send({ method: LOG, params: { i } });
    news.send({ method: "notifications/custom", params: {} });
    expect(count(told, LOG)).toBe(200);
    expect(count(told, "notifications/custom")).toBe(1);
    vi.advanceTimersByTime(1000);
    news.send({ method: LOG, params: {} });
    expect(count(told, LOG)).toBe(201);
  });

  it("sends nothing after it was closed", () => {
    const { news, told } = newsTo();
    news.send({ method: PROMPTS, params: {} });
    news.close();
    vi.advanceTimersByTime(1000);
    expect(told).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
