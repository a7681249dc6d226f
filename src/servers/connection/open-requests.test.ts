import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeCaller, FakeConnection, settingsWith } from "../../../test/support/fake-connection.ts";
import { ServerRequest } from "../../calls/server-request.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A caller with one call in flight, during which the server sends requests. */
function scene() {
  const settings = settingsWith({ timeouts: { callMs: 1000, totalMs: 100_000 } });
  const fake = new FakeConnection(settings);
  const caller = new FakeCaller();
  fake.call(caller);
  const request = (text = "{}"): ServerRequest => {
    const given = { id: 9, idText: "9", method: "roots/list", params: {}, text };
    const question = new ServerRequest(given, fake.connection);
    fake.connection.clients.request(question, undefined);
    return question;
  };
  return { fake, caller, request };
}

describe("an open request from a server", () => {
  it("pauses the time limit of the call until all requests are answered", () => {
    const { caller, request } = scene();
    const questions = [request(), request()];
    vi.advanceTimersByTime(5000);
    questions[0]?.answer("{}");
    vi.advanceTimersByTime(5000);
    expect(caller.ends).toBe(0);
    questions[1]?.answer("{}");
    vi.advanceTimersByTime(5000);
    expect(caller.errors).toMatchObject([{ code: "CALL_TIMEOUT" }]);
  });

  it("is withdrawn if the server is lost, before the call fails", () => {
    const { fake, caller, request } = scene();
    const events: string[] = [];
    request().withdrawn = (reason) => events.push(`${String(reason)}, ${caller.ends} ended`);
    fake.connection.input.onLost("gone");
    expect(events).toEqual(["the server is gone, 0 ended"]);
    expect(caller.ends).toBe(1);
  });

  it.each([
    ["100 are open", 100, 2],
    ["they are too large", 1, 33 * 1024 * 1024],
  ])("is refused while %s, and not after one was answered", (_why, count, chars) => {
    const { fake, caller, request } = scene();
    const questions = Array.from({ length: count }, () => request("x".repeat(chars)));
    request();
    expect(caller.questions).toHaveLength(count);
    expect(fake.channel.sent.at(-1)).toMatchObject({ id: 9, error: { code: -32603 } });
    questions[0]?.answer("{}");
    request();
    expect(caller.questions).toHaveLength(count + 1);
  });
});
