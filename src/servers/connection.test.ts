import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import {
  FakeCaller,
  FakeChannel,
  FakeConnection,
  settingsWith,
} from "../../test/support/fake-connection.ts";
import { Call } from "../relay/call.ts";
import { requestText } from "../wire/messages.ts";
import { NO_GREETING } from "./greeting.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = (concurrency: number, queue: number) =>
  settingsWith({ limits: { concurrency, queue } });

describe("a call", () => {
  it("goes out under an id of the connection and comes back to whoever made it", () => {
    const fake = new FakeConnection();
    const [first, second] = [new FakeCaller(), new FakeCaller()];
    fake.call(first);
    fake.call(second);
    expect(fake.channel.sent.map(({ id }) => id)).toEqual([1, 2]);
    fake.answer(2, "second");
    fake.answer(1, "first");
    expect(first.answers).toMatchObject([{ result: "first" }]);
    expect(second.answers).toMatchObject([{ result: "second" }]);
  });

  it("that fails on the server comes back as the answer it is", () => {
    const fake = new FakeConnection();
    const caller = new FakeCaller();
    fake.call(caller);
    fake.refuse(1, -32000, "no");
    expect(caller.answers).toMatchObject([{ error: { code: -32000, message: "no" } }]);
    expect(fake.statistics).toMatchObject({ calls: 1, errors: 1 });
  });

  it("has the progress of its own, and no other", () => {
    const fake = new FakeConnection();
    const [first, second] = [new FakeCaller(), new FakeCaller()];
    fake.call(first, { progressToken: "a" });
    fake.call(second, { progressToken: "a" });
    const params = { progressToken: 2, progress: 1, total: 3 };
    fake.receive({ jsonrpc: "2.0", method: "notifications/progress", params });
    expect([first.progress, second.progress]).toEqual([[], [params]]);
  });

  it("is not told of progress it did not ask for", () => {
    const fake = new FakeConnection();
    const caller = new FakeCaller();
    fake.call(caller);
    const params = { progressToken: 1, progress: 1 };
    fake.receive({ jsonrpc: "2.0", method: "notifications/progress", params });
    expect(caller.progress).toEqual([]);
    expect(fake.notifications).toEqual([]);
  });

  it("that is cancelled is taken back from the server, and its late answer is dropped", () => {
    const fake = new FakeConnection();
    const caller = new FakeCaller();
    const { call } = fake.call(caller);
    fake.connection.cancel(call, "the user changed their mind");
    fake.answer(1);
    expect(caller.ends).toBe(0);
    expect(fake.channel.of("notifications/cancelled")).toMatchObject([
      { params: { requestId: 1, reason: "the user changed their mind" } },
    ]);
  });

  it("that is cancelled is not told of twice where the channel tells", () => {
    const fake = new FakeConnection();
    fake.channel.tellsOfAbandoned = true;
    const { call } = fake.call(new FakeCaller());
    fake.connection.cancel(call, "enough");
    expect(fake.channel.abandoned).toEqual([call]);
    expect(fake.channel.of("notifications/cancelled")).toEqual([]);
  });
});

describe("the limits", () => {
  it("let so many run, so many wait, and refuse the rest with what to do", () => {
    const fake = new FakeConnection(limits(2, 1));
    const callers = Array.from({ length: 4 }, () => new FakeCaller());
    const refusals = callers.map((caller) => fake.call(caller).refused);
    expect(fake.channel.sent).toHaveLength(2);
    expect(refusals.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(refusals[3]?.text).toBe(
      "Too many calls at once for server 'fx' in toolbox 'dev': 2 running and 1 waiting. Try again later, or raise limits.concurrency or limits.queue of this server",
    );
    fake.answer(1);
    expect(fake.channel.sent.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it("let calls through without a queue", () => {
    const fake = new FakeConnection(limits(1, 0));
    expect(fake.call(new FakeCaller()).refused).toBeUndefined();
    expect(fake.call(new FakeCaller()).refused?.code).toBe("SERVER_BUSY");
    fake.answer(1);
    expect(fake.call(new FakeCaller()).refused).toBeUndefined();
  });

  it("are not used up by what stands open", () => {
    const fake = new FakeConnection(limits(1, 0));
    const standing = Array.from({ length: 3 }, () => {
      const call = new Call(new FakeCaller(), "", "subscriptions/listen", "", undefined);
      fake.connection.stand(call, (id) => requestText(id, call.method, {}));
      return call;
    });
    expect(fake.connection.waiting).toBe(0);
    expect(fake.call(new FakeCaller()).refused).toBeUndefined();
    // However they end, the one place stays taken.
    fake.connection.cancel(standing[0] as Call, "unsubscribed");
    fake.answer(2);
    expect(fake.call(new FakeCaller()).refused?.code).toBe("SERVER_BUSY");
    fake.connection.oversized(Buffer.from('{"result":{'), 99);
    expect([...fake.connection.pending]).toEqual([standing[2]]);
  });

  it("may change while calls run", () => {
    const fake = new FakeConnection(limits(1, 5));
    for (let i = 0; i < 3; i++) fake.call(new FakeCaller());
    fake.settings = limits(3, 5);
    fake.answer(1);
    fake.call(new FakeCaller());
    expect(fake.channel.sent.map(({ id }) => id)).toEqual([1, 2, 4]);
  });
});

describe("a server that does not read", () => {
  it("is sent nothing more until it does", () => {
    const fake = new FakeConnection(settingsWith({ limits: { messageBytes: 1000 } }));
    fake.channel.backlog = 1001;
    expect(fake.call(new FakeCaller()).refused?.text).toBe(
      "Too many calls at once for server 'fx' in toolbox 'dev': it does not read what was sent to it",
    );
    fake.channel.backlog = 1000;
    expect(fake.call(new FakeCaller()).refused).toBeUndefined();
  });
});

describe("time-outs", () => {
  const settings = (concurrency = 64) =>
    settingsWith({ timeouts: { callMs: 1000, totalMs: 2500 }, limits: { concurrency, queue: 5 } });
  const progress = { jsonrpc: "2.0", method: "notifications/progress" };

  it("end a call that nothing is heard of, and tell the server", () => {
    const fake = new FakeConnection(settings());
    const caller = new FakeCaller();
    fake.call(caller);
    vi.advanceTimersByTime(999);
    expect(caller.ends).toBe(0);
    vi.advanceTimersByTime(251);
    expect(caller.errors.map(({ text }) => text)).toEqual([
      "Timed out waiting for tool 'echo' of server 'fx' in toolbox 'dev': no answer and no progress within 1000 ms. The call may have taken effect; the server was told to stop. To wait longer, raise timeouts.callMs of this server",
    ]);
    expect(fake.channel.of("notifications/cancelled")).toMatchObject([
      { params: { requestId: 1 } },
    ]);
    expect(fake.statistics).toMatchObject({ calls: 1, errors: 1 });
  });

  it("start again with progress, but only until the total", () => {
    const fake = new FakeConnection(settings());
    const caller = new FakeCaller();
    fake.call(caller, { progressToken: "p" });
    for (let i = 0; i < 4; i++) {
      vi.advanceTimersByTime(600);
      fake.receive({ ...progress, params: { progressToken: 1, progress: i } });
    }
    expect(caller.errors).toEqual([]);
    vi.advanceTimersByTime(600);
    expect(caller.errors.map(({ text }) => text)).toEqual([
      "Timed out waiting for tool 'echo' of server 'fx' in toolbox 'dev': no result within 2500 ms in all. The call may have taken effect; the server was told to stop. To wait longer, raise timeouts.totalMs of this server",
    ]);
  });

  it("stand still while the server waits for its caller, but only until the total", () => {
    const fake = new FakeConnection(settingsWith({ timeouts: { callMs: 1000, totalMs: 10_000 } }));
    const caller = new FakeCaller();
    const { call } = fake.call(caller);
    fake.connection.pause(call);
    vi.advanceTimersByTime(5000);
    expect(caller.errors).toEqual([]);
    fake.connection.proceed(call);
    vi.advanceTimersByTime(500);
    expect(caller.errors).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(caller.errors.map(({ code }) => code)).toEqual(["CALL_TIMEOUT"]);
    const { call: endless } = fake.call(caller);
    fake.connection.pause(endless);
    vi.advanceTimersByTime(11_000);
    expect(caller.errors).toHaveLength(2);
  });

  it("reach calls that wait for others, which the server then never hears of", () => {
    const fake = new FakeConnection(settings(1));
    const callers = [new FakeCaller(), new FakeCaller()];
    for (const caller of callers) fake.call(caller);
    vi.advanceTimersByTime(1500);
    expect(callers.map(({ errors }) => errors.length)).toEqual([1, 1]);
    expect(callers[1]?.errors[0]?.hint).toMatch(/^The call was still waiting .* never sent/);
    expect(fake.channel.of("tools/call")).toHaveLength(1);
    expect(fake.channel.of("notifications/cancelled")).toHaveLength(1);
    // All places are free again, and no more than there are.
    fake.call(new FakeCaller());
    fake.call(new FakeCaller());
    expect(fake.channel.of("tools/call")).toHaveLength(2);
  });

  it("are those of connecting until the server was greeted", () => {
    const fake = new FakeConnection(settingsWith({ timeouts: { connectMs: 500, callMs: 5000 } }));
    fake.connection.greeting = NO_GREETING;
    const caller = new FakeCaller();
    fake.call(caller);
    vi.advanceTimersByTime(1000);
    expect(caller.errors).toHaveLength(1);
  });

  it("need no timer when nobody waits", () => {
    const fake = new FakeConnection(settings());
    fake.call(new FakeCaller());
    fake.answer(1);
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a message that was too large", () => {
  const tooLarge =
    "Message of server 'fx' in toolbox 'dev' is too large: 99 bytes, the limit is 16777216. The call may have taken effect. Ask for less, or raise limits.messageBytes of this server";

  it("ends the call whose id it names", () => {
    const fake = new FakeConnection();
    const callers = [new FakeCaller(), new FakeCaller()];
    for (const caller of callers) fake.call(caller);
    fake.connection.oversized(Buffer.from('{"jsonrpc":"2.0","id":2,"result":{"content'), 99);
    expect(callers.map(({ errors }) => errors.map(({ text }) => text))).toEqual([[], [tooLarge]]);
    expect(fake.statistics).toMatchObject({ calls: 1, errors: 1 });
  });

  it("ends the call whose id comes last", () => {
    const fake = new FakeConnection();
    const callers = [new FakeCaller(), new FakeCaller()];
    for (const caller of callers) fake.call(caller);
    const tail = Buffer.from('text"}]},"jsonrpc":"2.0","id":2}');
    fake.connection.oversized(Buffer.from('{"result":{"content'), 99, undefined, tail);
    expect(callers.map(({ errors }) => errors.length)).toEqual([0, 1]);
  });

  it.each(['{"unknown":', '{"jsonrpc":"2.0","method":"notifications/message","params":'])(
    "ends the call on whose stream it came, whatever it is: %s",
    (head) => {
      const fake = new FakeConnection();
      const callers = [new FakeCaller(), new FakeCaller()];
      const calls = callers.map((caller) => fake.call(caller).call);
      fake.connection.oversized(Buffer.from(head), 99, calls[1]);
      expect(callers.map(({ errors }) => errors.length)).toEqual([0, 1]);
    },
  );

  it("ends the only call there is if it is an answer without an id in sight", () => {
    const fake = new FakeConnection();
    const caller = new FakeCaller();
    fake.call(caller);
    fake.connection.oversized(Buffer.from('{"result":{"content'), 99);
    expect(caller.errors).toHaveLength(1);
  });

  it.each(['{"jsonrpc":"2.0","method":"notifications/message","params":', "a long log line"])(
    "ends nothing if it is no answer: %s",
    (head) => {
      const fake = new FakeConnection();
      const caller = new FakeCaller();
      fake.call(caller);
      fake.connection.oversized(Buffer.from(head), 99);
      expect(caller.ends).toBe(0);
    },
  );
});

describe("the end of a connection", () => {
  it("by the server's death fails every call with its last words, and is told once", () => {
    const fake = new FakeConnection(limits(1, 5));
    fake.channel.stderr = ["warming up", "out of memory"];
    const callers = [new FakeCaller(), new FakeCaller()];
    for (const caller of callers) fake.call(caller);
    fake.connection.lost("it was ended by SIGKILL");
    const told = "it was ended by SIGKILL. Its last output: warming up | out of memory";
    // The second call was still waiting for its place.
    expect(callers.map(({ errors }) => errors.map(({ message }) => message))).toEqual([
      [
        `Lost server 'fx' in toolbox 'dev' during tool 'echo': ${told}. The call may or may not have taken effect`,
      ],
      [
        `Could not deliver tool 'echo' to server 'fx' in toolbox 'dev': ${told}. The call had no effect`,
      ],
    ]);
    expect(fake.losses).toEqual([told]);
    expect(fake.connection.closed).toBe(true);
    expect(fake.connection.lostByItself).toBe(true);
  });

  it("refuses what comes after it, and sends nothing", async () => {
    const fake = new FakeConnection();
    await fake.connection.close();
    const caller = new FakeCaller();
    expect(fake.call(caller).refused?.code).toBe("CALL_NOT_DELIVERED");
    fake.connection.send("{}");
    expect(caller.ends).toBe(0);
    expect(fake.channel.sent).toEqual([]);
    expect(fake.channel.closed).toBe(1);
  });

  it("lets a caller react with another call, which is refused", () => {
    const fake = new FakeConnection();
    let second: string | undefined;
    class Persistent extends FakeCaller {
      override failed(): void {
        second = fake.call(new FakeCaller()).refused?.code;
      }
    }
    fake.call(new Persistent());
    fake.connection.lost("gone");
    expect(second).toBe("CALL_NOT_DELIVERED");
  });

  it("before there is a channel closes the channel when it comes", async () => {
    const fake = new FakeConnection();
    await fake.connection.close();
    const late = new FakeChannel();
    await expect(fake.connection.attach(late)).rejects.toThrow("closed while it was being opened");
    expect(late.closed).toBe(1);
  });
});

describe("what the server says of itself", () => {
  it("is handed on: notifications and requests, with the call on whose stream they came", () => {
    const fake = new FakeConnection();
    fake.receive({ jsonrpc: "2.0", method: "notifications/message", params: { data: 1 } });
    fake.receive({ jsonrpc: "2.0", id: 9, method: "roots/list" });
    expect(fake.notifications).toMatchObject([
      { method: "notifications/message", params: { data: 1 } },
    ]);
    expect(fake.requests).toMatchObject([{ id: 9, method: "roots/list" }]);
  });

  it("goes to the subscription it names, and to nobody if that is over", () => {
    const fake = new FakeConnection();
    const heard: string[] = [];
    const caller = Object.assign(new FakeCaller(), {
      heard: (_call: Call, { method }: { method: string }) => void heard.push(method),
    });
    const call = new Call(caller, "", "subscriptions/listen", "", undefined);
    fake.connection.stand(call, (id) => JSON.stringify({ id, method: call.method }));
    const news = {
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: { "io.modelcontextprotocol/subscriptionId": call.id } },
    };
    fake.receive(news);
    fake.connection.cancel(call, "enough");
    fake.receive(news);
    expect([heard, fake.notifications]).toEqual([[news.method], []]);
  });

  it("may have changed after it was greeted anew, in every list it has", () => {
    const fake = new FakeConnection();
    fake.connection.greeting = { ...NO_GREETING, capabilities: { tools: {}, resources: {} } };
    fake.connection.renewed();
    expect(fake.notifications.map(({ method }) => method)).toEqual([
      "notifications/tools/list_changed",
      "notifications/resources/list_changed",
    ]);
  });
});
