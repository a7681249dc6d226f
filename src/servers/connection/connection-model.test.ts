/**
 * Random histories of one connection, compared with a simple model: every call that was admitted
 * ends exactly once, gets nothing but its own answer, and leaves nothing behind.
 */
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeCaller, FakeConnection, settingsWith } from "../../../test/support/fake-connection.ts";
import { Call } from "../../calls/call.ts";
import { requestText } from "../../wire/messages.ts";

const CALL_MS = 1000;
const TOTAL_MS = 3000;
/** Deadlines are checked this often. */
const SWEEP_MS = 250;

interface Limits {
  readonly concurrency: number;
  readonly queue: number;
}

type State = "queued" | "running" | "answered" | "failed" | "cancelled";

interface ModelCall {
  readonly id: number;
  readonly standing: boolean;
  readonly wantsProgress: boolean;
  readonly admittedAt: number;
  deadline: number;
  state: State;
  progress: number;
}

class Model {
  readonly limits: Limits;
  readonly calls: ModelCall[] = [];
  /** Notifications that are not for a call. */
  now = 0;
  closed = false;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  in(state: State): ModelCall[] {
    return this.calls.filter((call) => call.state === state && !call.standing);
  }

  get live(): ModelCall[] {
    return this.calls.filter((call) => call.state === "queued" || call.state === "running");
  }

  get full(): boolean {
    return this.in("running").length >= this.limits.concurrency;
  }

  end(call: ModelCall, state: State): void {
    call.state = state;
    const [next] = this.in("queued");
    if (!this.full && next !== undefined) next.state = "running";
  }
}

interface Made {
  readonly call: Call;
  readonly caller: FakeCaller;
}

class Real {
  readonly fake: FakeConnection;
  readonly made: Made[] = [];
  refused = 0;

  constructor(limits: Limits) {
    const timeouts = { callMs: CALL_MS, totalMs: TOTAL_MS };
    this.fake = new FakeConnection(settingsWith({ timeouts, limits }));
  }

  of(call: ModelCall): Made {
    return this.made[call.id - 1] as Made;
  }

  outcomeOf(call: ModelCall): { answers: unknown[]; errors: number; progress: number } {
    const { answers, errors, progress } = this.of(call).caller;
    return {
      answers: answers.map(({ result }) => result),
      errors: errors.length,
      progress: progress.length,
    };
  }

  sentIds(method: string): unknown[] {
    return this.fake.channel.of(method).map((message) => message["id"]);
  }
}

/** What must hold after every step. */
function compare(model: Model, real: Real): void {
  const { connection, channel, notifications } = real.fake;
  const sent = [...real.sentIds("tools/call"), ...real.sentIds("subscriptions/listen")];
  const withdrawn = channel
    .of("notifications/cancelled")
    .map(({ params }) => (params as { requestId: unknown }).requestId);
  const { live } = model;
  const [running, queued] = [model.in("running"), model.in("queued")];
  expect({
    pending: Array.from(connection.calls.values(), ({ id }) => id),
    waiting: connection.calls.waiting,
    handedOn: notifications.length,
    outcomes: model.calls.map((known) => real.outcomeOf(known)),
    sentTwice: sent.length - new Set(sent).size,
    runningUnsent: running.filter(({ id }) => !sent.includes(id)),
    queuedButSent: queued.filter(({ id }) => sent.includes(id)),
    withdrawnTwice: withdrawn.length - new Set(withdrawn).size,
    withdrawnUnsent: withdrawn.filter((id) => !sent.includes(id)),
    tooManyRunning: Math.max(0, running.length - model.limits.concurrency),
    tooManyQueued: Math.max(0, queued.length - model.limits.queue),
  }).toEqual({
    pending: live.map(({ id }) => id),
    waiting: live.filter(({ standing }) => !standing).length,
    // Progress of a call that has ended is dropped.
    handedOn: 0,
    outcomes: model.calls.map(({ id, state, progress: steps }) => ({
      answers: state === "answered" ? [{ of: id }] : [],
      errors: state === "failed" ? 1 : 0,
      progress: steps,
    })),
    sentTwice: 0,
    runningUnsent: [],
    queuedButSent: [],
    withdrawnTwice: 0,
    withdrawnUnsent: [],
    tooManyRunning: 0,
    tooManyQueued: 0,
  });
}

type Step = (model: Model, real: Real) => void;

function command(
  name: string,
  step: Step,
  check: (model: Readonly<Model>) => boolean = () => true,
): fc.Command<Model, Real> {
  return {
    check,
    run: (model, real) => {
      step(model, real);
      compare(model, real);
    },
    toString: () => name,
  };
}

const isOpen = (model: Readonly<Model>): boolean => !model.closed;

function admitted(model: Model, made: Omit<ModelCall, "id" | "admittedAt" | "progress">): void {
  const id = model.calls.length + 1;
  model.calls.push({ ...made, id, admittedAt: model.now, progress: 0 });
}

const makeCall = (wantsProgress: boolean) =>
  command(wantsProgress ? "call with progress" : "call", (model, real) => {
    const caller = new FakeCaller();
    const token = wantsProgress ? { progressToken: "token" } : {};
    const { call, refused } = real.fake.call(caller, token);
    const busy = model.full && model.in("queued").length >= model.limits.queue;
    const expected = busy ? "SERVER_BUSY" : undefined;
    expect(refused?.code).toBe(model.closed ? "CALL_NOT_DELIVERED" : expected);
    if (refused !== undefined) {
      real.refused++;
      return;
    }
    real.made.push({ call, caller });
    const state = model.full ? "queued" : "running";
    admitted(model, { standing: false, wantsProgress, deadline: model.now + CALL_MS, state });
  });

const stand = command(
  "stand",
  (model, real) => {
    const caller = new FakeCaller();
    const call = new Call(caller, "workbench", "subscriptions/listen", "", undefined);
    real.fake.connection.calls.openStream(call, (id) => requestText(id, call.method, {}));
    real.made.push({ call, caller });
    const made = { standing: true, wantsProgress: false, deadline: Infinity };
    admitted(model, { ...made, state: "running" });
  },
  isOpen,
);

/** A step on one of all ids there ever were, or one that was never given. */
const onId =
  (
    name: string,
    step: (id: number, known: ModelCall | undefined, model: Model, real: Real) => void,
  ) =>
  (pick: number) =>
    command(`${name}(${pick})`, (model, real) => {
      const id = (pick % (model.calls.length + 2)) + 1;
      step(id, model.calls[id - 1], model, real);
    });

const answer = onId("answer", (id, known, model, real) => {
  real.fake.answer(id, { of: id });
  if (known?.state === "running") model.end(known, "answered");
});

const progress = onId("progress", (id, known, model, real) => {
  const params = { progressToken: id, progress: 1 };
  real.fake.receive({ jsonrpc: "2.0", method: "notifications/progress", params });
  const alive = known !== undefined && model.live.includes(known);
  if (alive && known.wantsProgress) {
    known.progress++;
    known.deadline = model.now + CALL_MS;
  }
});

const cancel = onId("cancel", (_id, known, model, real) => {
  if (known === undefined) return;
  real.fake.connection.calls.cancel(real.of(known).call, "enough");
  if (model.live.includes(known)) model.end(known, "cancelled");
});

const undeliverable = onId("undeliverable", (_id, known, model, real) => {
  if (known === undefined) return;
  const failure = { code: "refused", reason: "refused", fix: undefined, mayHaveRun: false };
  real.fake.connection.input.onUndeliverable(real.of(known).call, failure);
  if (known.state === "running") model.end(known, "failed");
});

const oversized = onId("oversized", (id, known, model, real) => {
  real.fake.connection.input.onOversized(
    Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{`),
    1e8,
  );
  if (known?.state === "running") model.end(known, "failed");
});

/** The id would have come last, and only the head of the line is known. */
const oversizedWithoutId = command("oversized without id", (model, real) => {
  real.fake.connection.input.onOversized(Buffer.from('{"result":{'), 1e8);
  const [only, ...others] = model.in("running");
  if (only !== undefined && others.length === 0) model.end(only, "failed");
});

const noise = command("noise", (_model, real) => {
  real.fake.receive("not json");
  real.fake.receive('{"jsonrpc":"2.0","id":"1","result":{}}');
  real.fake.receive({ jsonrpc: "2.0", id: 1, method: "ping" });
  real.fake.connection.input.onOversized(
    Buffer.from('{"jsonrpc":"2.0","method":"x","params":{'),
    1e8,
  );
  real.fake.connection.input.onOversized(Buffer.from("garbage"), 1e8);
});

const tick = (ms: number) =>
  command(`tick(${ms})`, (model, real) => {
    vi.advanceTimersByTime(ms);
    model.now += ms;
    for (const known of model.live.filter(({ standing }) => !standing)) {
      const end = Math.min(known.deadline, known.admittedAt + TOTAL_MS);
      const [error] = real.of(known).caller.errors;
      const possible = [
        ...(model.now < end + SWEEP_MS ? [undefined] : []),
        ...(model.now >= end ? ["CALL_TIMEOUT"] : []),
      ];
      expect(possible).toContain(error?.code);
      if (error !== undefined) known.state = "failed";
    }
    // Several may have ended at once; those that waited move up together.
    for (const next of model.in("queued")) if (!model.full) next.state = "running";
  });

const end = (how: "lost" | "close") =>
  command(
    how,
    (model, real) => {
      const { connection } = real.fake;
      if (how === "lost") connection.input.onLost("it exited with code 1");
      else void connection.close();
      model.closed = true;
      for (const known of model.live) known.state = "failed";
    },
    isOpen,
  );

const times = <T>(count: number, step: T): T[] => Array.from({ length: count }, () => step);

const steps: fc.Arbitrary<fc.Command<Model, Real>>[] = [
  ...times(10, fc.boolean().map(makeCall)),
  ...times(5, fc.nat(1000).map(answer)),
  ...[progress, cancel, undeliverable, oversized].map((step) => fc.nat(1000).map(step)),
  ...[oversizedWithoutId, noise, stand].map((step) => fc.constant(step)),
  ...times(2, fc.integer({ min: 1, max: 1500 }).map(tick)),
  fc.constantFrom("lost" as const, "close" as const).map(end),
];

describe("Connection, in any sequence of events,", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ends every call exactly once, delivers no answer to the wrong caller and leaves nothing behind", () => {
    const seen = new Map<string, number>();
    const limits = fc.record({
      concurrency: fc.integer({ min: 1, max: 4 }),
      queue: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(
        limits,
        fc.commands(steps, { maxCommands: 60, size: "max" }),
        (given, history) => {
          vi.clearAllTimers();
          const model = new Model(given);
          const real = new Real(given);
          fc.modelRun(() => ({ model, real }), history);
          for (const { state } of model.calls) seen.set(state, (seen.get(state) ?? 0) + 1);
          if (real.refused > 0) seen.set("refused", (seen.get("refused") ?? 0) + 1);
          // The end of everything.
          if (!model.closed) end("close").run(model, real);
          expect([...real.fake.connection.calls.values()]).toEqual([]);
          expect(vi.getTimerCount()).toBe(0);
          for (const { caller } of real.made) expect(caller.ends).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 300 },
    );
    // The histories were long enough to show everything.
    const states = ["answered", "failed", "cancelled", "running", "queued", "refused"];
    expect(states.filter((state) => (seen.get(state) ?? 0) < 20)).toEqual([]);
  });
});
