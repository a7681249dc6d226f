import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import {
  FakeCaller,
  FakeChannel,
  FakeConnection,
  callOf,
  settingsWith,
} from "../../../test/support/fake-connection.ts";
import { Call } from "../../calls/call.ts";
import { requestText } from "../../wire/messages.ts";
import { NOT_CONNECTED } from "../handshake/server-hello.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = (concurrency: number, queue: number) =>
  settingsWith({ limits: { concurrency, queue } });

describe("a call over a Connection", () => {
  it("is sent with an id of the connection, and its answer reaches its caller", () => {
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

  it("that the server answers with an error is delivered as that answer", () => {
    const fake = new FakeConnection();
    const caller = new FakeCaller();
    fake.call(caller);
    fake.refuse(1, -32000, "no");
    expect(caller.answers).toMatchObject([{ error: { code: -32000, message: "no" } }]);
  });

  it("receives its own progress and no other", () => {
    const fake = new FakeConnection();
    const [first, second] = [new FakeCaller(), new FakeCaller()];
    fake.call(first, { progressToken: "a" });
    fake.call(second, { progressToken: "a" });
    const params = { progressToken: 2, progress: 1, total: 3 };
    fake.receive({ jsonrpc: "2.0", method: "notifications/progress", params });
    expect([first.progress, second.progress]).toEqual([[], [params]]);
  });

  it("receives no progress it did not ask for", () => {
    const fake = new FakeConnection();
    const caller = new FakeCaller();
    fake.call(caller);
    const params = { progressToken: 1, progress: 1 };
    fake.receive({ jsonrpc: "2.0", method: "notifications/progress", params });
    expect(caller.progress).toEqual([]);
    expect(fake.notifications).toEqual([]);
  });

  it("that is cancelled is cancelled at the server, and its late answer is dropped", () => {
    const fake = new FakeConnection();
    const caller = new FakeCaller();
    const { call } = fake.call(caller);
    fake.connection.calls.cancel(call, "the user changed their mind");
    fake.answer(1);
    expect(caller.ends).toBe(0);
    expect(fake.channel.of("notifications/cancelled")).toMatchObject([
      { params: { requestId: 1, reason: "the user changed their mind" } },
    ]);
  });

  it("that is cancelled is not reported to the server twice if the channel reports it", () => {
    const fake = new FakeConnection();
    fake.channel.tellsOfAbandoned = true;
    const { call } = fake.call(new FakeCaller());
    fake.connection.calls.cancel(call, "enough");
    expect(fake.channel.abandoned).toEqual([call]);
    expect(fake.channel.of("notifications/cancelled")).toEqual([]);
  });
});

describe("the call limits of a Connection", () => {
  it("run and queue as many calls as configured, and refuse the rest with a hint", () => {
    const fake = new FakeConnection(limits(2, 1));
    const callers = Array.from({ length: 4 }, () => new FakeCaller());
    const refusals = callers.map((caller) => fake.call(caller).refused);
    expect(fake.channel.sent).toHaveLength(2);
    expect(refusals.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(refusals[3]?.text).toBe(
      "Too many concurrent calls to server 'fx' in toolbox 'dev': 2 running and 1 waiting. Try again later, or raise limits.concurrency or limits.queue of this server",
    );
    fake.answer(1);
    expect(fake.channel.sent.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it("allow calls without a queue", () => {
    const fake = new FakeConnection(limits(1, 0));
    expect(fake.call(new FakeCaller()).refused).toBeUndefined();
    expect(fake.call(new FakeCaller()).refused?.code).toBe("SERVER_BUSY");
    fake.answer(1);
    expect(fake.call(new FakeCaller()).refused).toBeUndefined();
  });

  it("do not count long-lived streams", () => {
    const fake = new FakeConnection(limits(1, 0));
    const standing = Array.from({ length: 3 }, () => {
      const call = new Call(new FakeCaller(), "workbench", "subscriptions/listen", "", undefined);
      fake.connection.calls.openStream(call, (id) => requestText(id, call.method, {}));
      return call;
    });
    expect(fake.connection.calls.waiting).toBe(0);
    expect(fake.call(new FakeCaller()).refused).toBeUndefined();
    // However they end, the one place stays taken.
    fake.connection.calls.cancel(standing[0] as Call, "unsubscribed");
    fake.answer(2);
    expect(fake.call(new FakeCaller()).refused?.code).toBe("SERVER_BUSY");
    fake.connection.input.onOversized(Buffer.from('{"result":{'), 99);
    expect([...fake.connection.calls.values()]).toEqual([standing[2]]);
  });

  it("can change while calls are running, and no call overtakes those that wait", () => {
    const fake = new FakeConnection(limits(1, 5));
    for (let i = 0; i < 3; i++) fake.call(new FakeCaller());
    fake.settings = limits(3, 5);
    fake.answer(1);
    fake.call(new FakeCaller());
    expect(fake.channel.sent.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });
});

describe("a Connection to a server that does not read its input", () => {
  it("refuses further calls until the server reads again", () => {
    const fake = new FakeConnection(settingsWith({ limits: { messageBytes: 1000 } }));
    fake.channel.backlog = 1001;
    expect(fake.call(new FakeCaller()).refused?.text).toBe(
      "Too many concurrent calls to server 'fx' in toolbox 'dev': it does not read its input",
    );
    fake.channel.backlog = 1000;
    expect(fake.call(new FakeCaller()).refused).toBeUndefined();
  });
});

describe("the time-outs of a Connection", () => {
  const settings = (concurrency = 64) =>
    settingsWith({ timeouts: { callMs: 1000, totalMs: 2500 }, limits: { concurrency, queue: 5 } });
  const progress = { jsonrpc: "2.0", method: "notifications/progress" };

  it("fail a call without answer or progress, and cancel it at the server", () => {
    const fake = new FakeConnection(settings());
    const caller = new FakeCaller();
    fake.call(caller);
    vi.advanceTimersByTime(999);
    expect(caller.ends).toBe(0);
    vi.advanceTimersByTime(251);
    expect(caller.errors.map(({ text }) => text)).toEqual([
      "Timed out waiting for tool 'echo' on server 'fx' in toolbox 'dev': no answer and no progress within 1000 ms. The call may have taken effect; the server was asked to stop. To wait longer, raise timeouts.callMs of this server",
    ]);
    expect(fake.channel.of("notifications/cancelled")).toMatchObject([
      { params: { requestId: 1 } },
    ]);
  });

  it("restart with progress, but never exceed the total time-out", () => {
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
      "Timed out waiting for tool 'echo' on server 'fx' in toolbox 'dev': no result within 2500 ms in total. The call may have taken effect; the server was asked to stop. To wait longer, raise timeouts.totalMs of this server",
    ]);
  });

  it("pause while the server waits for the caller, but never exceed the total time-out", () => {
    const fake = new FakeConnection(settingsWith({ timeouts: { callMs: 1000, totalMs: 10_000 } }));
    const caller = new FakeCaller();
    const { call } = fake.call(caller);
    fake.connection.calls.pause(call);
    vi.advanceTimersByTime(5000);
    expect(caller.errors).toEqual([]);
    fake.connection.calls.proceed(call);
    vi.advanceTimersByTime(500);
    expect(caller.errors).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(caller.errors.map(({ code }) => code)).toEqual(["CALL_TIMEOUT"]);
    const { call: endless } = fake.call(caller);
    fake.connection.calls.pause(endless);
    vi.advanceTimersByTime(11_000);
    expect(caller.errors).toHaveLength(2);
  });

  it("fail queued calls too, which are then never sent", () => {
    const fake = new FakeConnection(settings(1));
    const callers = [new FakeCaller(), new FakeCaller()];
    for (const caller of callers) fake.call(caller);
    vi.advanceTimersByTime(1500);
    expect(callers.map(({ errors }) => errors.length)).toEqual([1, 1]);
    expect(callers[1]?.errors[0]?.hint).toMatch(/^The call was still queued and was never sent/);
    expect(fake.channel.of("tools/call")).toHaveLength(1);
    expect(fake.channel.of("notifications/cancelled")).toHaveLength(1);
    // All places are free again, and no more than there are.
    fake.call(new FakeCaller());
    fake.call(new FakeCaller());
    expect(fake.channel.of("tools/call")).toHaveLength(2);
  });

  it("do not apply to a request whose caller limits its time, such as the handshake", () => {
    const fake = new FakeConnection(settingsWith({ timeouts: { connectMs: 500, callMs: 500 } }));
    const caller = new FakeCaller();
    const call = callOf(caller);
    fake.connection.calls.register(call, false);
    fake.connection.calls.submit(call, requestText(call.id, "initialize", {}));
    vi.advanceTimersByTime(600_000);
    expect(caller.errors).toEqual([]);
    fake.answer(1);
    expect(caller.answers).toHaveLength(1);
  });

  it("keep no timer running when no call is waiting", () => {
    const fake = new FakeConnection(settings());
    fake.call(new FakeCaller());
    fake.answer(1);
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a server message above the size limit", () => {
  const tooLarge =
    "Message from server 'fx' in toolbox 'dev' is too large: 99 bytes, the limit is 16777216. The call may have taken effect. Ask for less, or raise limits.messageBytes of this server";

  it("fails the call whose id it contains", () => {
    const fake = new FakeConnection();
    const callers = [new FakeCaller(), new FakeCaller()];
    for (const caller of callers) fake.call(caller);
    fake.connection.input.onOversized(
      Buffer.from('{"jsonrpc":"2.0","id":2,"result":{"content'),
      99,
    );
    expect(callers.map(({ errors }) => errors.map(({ text }) => text))).toEqual([[], [tooLarge]]);
  });

  it("fails the call whose id comes last in the message", () => {
    const fake = new FakeConnection();
    const callers = [new FakeCaller(), new FakeCaller()];
    for (const caller of callers) fake.call(caller);
    const tail = Buffer.from('text"}]},"jsonrpc":"2.0","id":2}');
    fake.connection.input.onOversized(Buffer.from('{"result":{"content'), 99, undefined, tail);
    expect(callers.map(({ errors }) => errors.length)).toEqual([0, 1]);
  });

  it.each(['{"unknown":', '{"jsonrpc":"2.0","method":"notifications/message","params":'])(
    "fails the call whose stream it arrived on, whatever it is: %s",
    (head) => {
      const fake = new FakeConnection();
      const callers = [new FakeCaller(), new FakeCaller()];
      const calls = callers.map((caller) => fake.call(caller).call);
      fake.connection.input.onOversized(Buffer.from(head), 99, calls[1]);
      expect(callers.map(({ errors }) => errors.length)).toEqual([0, 1]);
    },
  );

  it("fails the only pending call if it is an answer whose id is not visible", () => {
    const fake = new FakeConnection();
    const caller = new FakeCaller();
    fake.call(caller);
    fake.connection.input.onOversized(Buffer.from('{"result":{"content'), 99);
    expect(caller.errors).toHaveLength(1);
  });

  it.each(['{"jsonrpc":"2.0","method":"notifications/message","params":', "a long log line"])(
    "fails no call if it is not an answer: %s",
    (head) => {
      const fake = new FakeConnection();
      const caller = new FakeCaller();
      fake.call(caller);
      fake.connection.input.onOversized(Buffer.from(head), 99);
      expect(caller.ends).toBe(0);
    },
  );
});

describe("the end of a Connection", () => {
  it("caused by the server's death fails every call with the server's last output, and is reported once", () => {
    const fake = new FakeConnection(limits(1, 5));
    fake.channel.stderr = ["warming up", "out of memory"];
    const callers = [new FakeCaller(), new FakeCaller()];
    for (const caller of callers) fake.call(caller);
    fake.connection.input.onLost("it was ended by SIGKILL");
    const reason = "it was ended by SIGKILL. Its last output: warming up | out of memory";
    // The second call was still waiting for its place.
    expect(callers.map(({ errors }) => errors.map(({ message }) => message))).toEqual([
      [
        `Lost connection to server 'fx' in toolbox 'dev' during tool 'echo': ${reason}. The call may or may not have taken effect`,
      ],
      [
        `Could not deliver tool 'echo' to server 'fx' in toolbox 'dev': ${reason}. The call had no effect`,
      ],
    ]);
    expect(fake.losses).toEqual([reason]);
    expect(fake.connection.closed).toBe(true);
    expect(fake.connection.loss).toEqual([reason, undefined]);
  });

  it("is the reason why later calls are refused", () => {
    const fake = new FakeConnection();
    fake.connection.input.onLost("it exited with code 3", "exited");
    const { refused } = fake.call(new FakeCaller());
    expect(refused?.message).toContain("it exited with code 3");
    expect(refused?.causeCode).toBe("exited");
  });

  it("makes it refuse further calls and send nothing", async () => {
    const fake = new FakeConnection();
    await fake.connection.close();
    const caller = new FakeCaller();
    expect(fake.call(caller).refused?.code).toBe("CALL_NOT_DELIVERED");
    fake.connection.send("{}");
    expect(caller.ends).toBe(0);
    expect(fake.channel.sent).toEqual([]);
    expect(fake.channel.closed).toBe(1);
  });

  it("allows a failed caller to call again, which is refused", () => {
    const fake = new FakeConnection();
    let second: string | undefined;
    class Persistent extends FakeCaller {
      override onSettled(): void {
        second = fake.call(new FakeCaller()).refused?.code;
      }
    }
    fake.call(new Persistent());
    fake.connection.input.onLost("gone");
    expect(second).toBe("CALL_NOT_DELIVERED");
  });

  it("before its channel is open closes the channel as soon as it opens", async () => {
    const fake = new FakeConnection();
    await fake.connection.close();
    const late = new FakeChannel();
    await expect(fake.connection.attach(late)).rejects.toThrow("closed while it was being opened");
    expect(late.closed).toBe(1);
  });
});

describe("a message from the server that is not an answer", () => {
  it("is passed on as a notification or a request", () => {
    const fake = new FakeConnection();
    fake.receive({ jsonrpc: "2.0", method: "notifications/message", params: { data: 1 } });
    fake.receive({ jsonrpc: "2.0", id: 9, method: "roots/list" });
    expect(fake.notifications).toMatchObject([
      { method: "notifications/message", params: { data: 1 } },
    ]);
    expect(fake.requests).toMatchObject([{ id: 9, method: "roots/list" }]);
  });

  it("goes to the subscription it names, and is dropped if that has ended", () => {
    const fake = new FakeConnection();
    const received: string[] = [];
    const caller = Object.assign(new FakeCaller(), {
      onCallNotification: (_call: Call, { method }: { method: string }) =>
        void received.push(method),
    });
    const call = new Call(caller, "workbench", "subscriptions/listen", "", undefined);
    fake.connection.calls.openStream(call, (id) => JSON.stringify({ id, method: call.method }));
    const news = {
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: { "io.modelcontextprotocol/subscriptionId": call.id } },
    };
    fake.receive(news);
    fake.connection.calls.cancel(call, "enough");
    fake.receive(news);
    expect([received, fake.notifications]).toEqual([[news.method], []]);
  });

  it("is generated for every list after the session was renewed, because changes may have been missed", () => {
    const fake = new FakeConnection();
    fake.connection.hello = { ...NOT_CONNECTED, capabilities: { tools: {}, resources: {} } };
    fake.connection.input.onRenewed();
    expect(fake.notifications.map(({ method }) => method)).toEqual([
      "notifications/tools/list_changed",
      "notifications/resources/list_changed",
    ]);
  });
});
