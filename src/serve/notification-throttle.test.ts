import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { NotificationThrottle } from "./notification-throttle.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const PROMPTS = "notifications/prompts/list_changed";
const RESOURCES = "notifications/resources/list_changed";
const LOG = "notifications/message";
const SERVER = {};

function throttleTo(): { throttle: NotificationThrottle; sent: [string, object][] } {
  const sent: [string, object][] = [];
  return {
    throttle: new NotificationThrottle(({ method, params }) => void sent.push([method, params])),
    sent,
  };
}

const count = (sent: readonly [string, object][], method: string): number =>
  sent.filter(([each]) => each === method).length;

describe("the notification throttle", () => {
  it("passes notifications on in order and unchanged", () => {
    const { throttle, sent } = throttleTo();
    throttle.send({ method: LOG, params: { data: 1 } }, SERVER);
    throttle.send({ method: "notifications/custom", params: { data: 2 } }, SERVER);
    expect(sent).toEqual([
      [LOG, { data: 1 }],
      ["notifications/custom", { data: 2 }],
    ]);
  });

  it("merges list changes, separately for each list", () => {
    const { throttle, sent } = throttleTo();
    for (let i = 0; i < 100; i++) {
      throttle.send({ method: PROMPTS, params: { i } }, SERVER);
      throttle.send({ method: RESOURCES, params: { i } }, SERVER);
    }
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(sent).toEqual([
      [PROMPTS, {}],
      [RESOURCES, {}],
    ]);
    throttle.send({ method: PROMPTS, params: {} }, SERVER);
    vi.advanceTimersByTime(50);
    expect(count(sent, PROMPTS)).toBe(2);
  });

  it("limits a flood of one method, and lets other methods pass", () => {
    const { throttle, sent } = throttleTo();
    for (let i = 0; i < 10_000; i++) throttle.send({ method: LOG, params: { i } }, SERVER);
    throttle.send({ method: "notifications/custom", params: {} }, SERVER);
    expect(count(sent, LOG)).toBe(200);
    expect(count(sent, "notifications/custom")).toBe(1);
    vi.advanceTimersByTime(1000);
    throttle.send({ method: LOG, params: {} }, SERVER);
    expect(count(sent, LOG)).toBe(201);
  });

  it("limits a flood of many methods and of long notifications, each server by itself", () => {
    const { throttle, sent } = throttleTo();
    for (let i = 0; i < 10_000; i++)
      throttle.send({ method: `notifications/x${i}`, params: {} }, SERVER);
    expect(sent).toHaveLength(20);
    const text = "x".repeat(1024 * 1024);
    const other = {};
    for (let i = 0; i < 100; i++) throttle.send({ method: LOG, params: {}, text }, other);
    expect(count(sent, LOG)).toBe(5);
    throttle.send({ method: LOG, params: {} }, {});
    expect(count(sent, LOG)).toBe(6);
    vi.advanceTimersByTime(1000);
    throttle.send({ method: LOG, params: {}, text }, other);
    expect(count(sent, LOG)).toBe(7);
  });

  it("admits any number of notifications about calls, but not of any size", () => {
    const { throttle } = throttleTo();
    const admitted = (text: string): number =>
      Array.from({ length: 1000 }, () =>
        throttle.admitsAbout({ method: LOG, params: {}, text }, SERVER),
      ).filter((isAdmitted) => isAdmitted).length;
    expect(admitted("x".repeat(100))).toBe(1000);
    expect(admitted("x".repeat(1024 * 1024))).toBe(4);
    vi.advanceTimersByTime(1000);
    expect(admitted("x".repeat(100))).toBe(1000);
  });

  it("sends nothing after it was closed", () => {
    const { throttle, sent } = throttleTo();
    throttle.send({ method: PROMPTS, params: {} }, SERVER);
    throttle.close();
    vi.advanceTimersByTime(1000);
    expect(sent).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
