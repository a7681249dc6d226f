import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/new-folder.ts";
import { auditRows } from "../../test/support/audit.ts";
import { FakeClient, requestIn } from "../../test/support/fake-client.ts";
import { type CallObserver, ClientCall } from "../calls/call.ts";
import { answered } from "../calls/destination.ts";
import { dispatch } from "../calls/dispatch.ts";
import { textResult } from "../calls/outcome.ts";
import { cancel } from "../calls/settle.ts";
import { NO_LOG } from "../log.ts";
import { LateAudit, auditStep, isAuditOn } from "./late-audit.ts";

let state = "";
const before = process.env["XDG_STATE_HOME"];
beforeEach(() => {
  state = newFolder("late-audit-test");
  process.env["XDG_STATE_HOME"] = state;
});
afterEach(() => {
  if (before === undefined) delete process.env["XDG_STATE_HOME"];
  else process.env["XDG_STATE_HOME"] = before;
  rmSync(state, { recursive: true, force: true });
});

const outcomes = (): string[] =>
  auditRows({ env: { XDG_STATE_HOME: state } }).map(({ outcome, code }) =>
    [outcome, code].filter(Boolean).join(" "),
  );

function newAudit(required = false): LateAudit {
  const audit = { arguments: "shape", required, retainDays: 90 } as const;
  return new LateAudit({
    host: { log: NO_LOG, redact: (text: string) => text },
    settings: { audit },
  } as never);
}

/** A client whose calls are observed. */
function clientOf(observer: CallObserver): FakeClient {
  const client = new FakeClient([]);
  Object.assign(client.pipeline, { observer });
  return client;
}

function newCall(client: FakeClient): ClientCall {
  const params = { name: "open_toolbox", arguments: {} };
  return new ClientCall(
    client,
    requestIn(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })),
  );
}

describe("the audit log that is loaded late", () => {
  it("records calls that ended before it was loaded, and each call once", async () => {
    const audit = newAudit();
    const client = clientOf(audit);
    dispatch(newCall(client), () => answered(textResult("")));
    dispatch(newCall(client), () => {
      throw new Error("cannot be routed");
    });
    const waiting = newCall(client);
    dispatch(waiting, () => new Promise(() => {}));
    cancel(waiting, "changed its mind");
    expect(client.outcomes).toHaveLength(3);
    await audit.close();
    expect(outcomes()).toEqual(["ok", "error INTERNAL", "cancelled"]);
  });

  it("records a call in progress when the program ends, and not again when it is settled later", async () => {
    const audit = newAudit();
    const client = clientOf(audit);
    const call = newCall(client);
    dispatch(call, () => new Promise(() => {}));
    await audit.load();
    audit.end();
    cancel(call, "the client left");
    await audit.close();
    expect(outcomes()).toEqual(["error CUT_OFF"]);
  });

  it("names the parent of a nested call", async () => {
    const audit = newAudit();
    const client = clientOf(audit);
    const parent = newCall(client);
    const child = newCall(client);
    child.parent = parent;
    dispatch(parent, () => new Promise(() => {}));
    dispatch(child, () => answered(textResult("")));
    cancel(parent, "");
    await audit.close();
    const [first, second] = auditRows({ env: { XDG_STATE_HOME: state } });
    expect(first?.["parent"]).toBe(second?.["id"]);
    expect(first?.["id"]).not.toBe(second?.["id"]);
    expect(second?.["parent"]).toBeUndefined();
  });

  it("does not record calls that end after it was turned off, and none of them leaks", async () => {
    const audit = newAudit();
    const client = clientOf(audit);
    const call = newCall(client);
    dispatch(call, () => new Promise(() => {}));
    Object.assign(client.pipeline, { observer: undefined });
    audit.stop();
    cancel(call, "");
    await audit.close();
    expect(outcomes()).toEqual([]);
  });

  it("lets a call pass the step only if it can be recorded", async () => {
    const audit = newAudit(true);
    const step = auditStep(audit);
    const next = () => Promise.resolve(textResult("sent"));
    const call = newCall(clientOf(audit));
    expect(await step(call, next)).toEqual(textResult("sent"));
    process.env["XDG_STATE_HOME"] = "/dev/null";
    const other = auditStep(newAudit(true));
    expect(await other(call, next)).toMatchObject({ error: { code: "AUDIT_UNAVAILABLE" } });
    await audit.close();
  });
});

describe("whether calls are recorded", () => {
  const settings = { arguments: "shape", required: false, retainDays: 90 } as const;

  it.each([
    [{}, false, false],
    [{}, true, true],
    [{ enabled: true }, false, true],
    [{ enabled: false }, true, false],
    [{ required: true }, false, true],
    [{ required: true, enabled: false }, true, false],
  ])("for %j and the default %j is %j", (given, byDefault, expected) => {
    expect(isAuditOn({ ...settings, ...given }, byDefault)).toBe(expected);
  });
});
