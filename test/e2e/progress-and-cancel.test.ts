/** What a client relies on while a call runs: it hears how far it is, and it can stop it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixtureStatus, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import type { Notification, RawClient, RequestId } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

function progressFor(client: RawClient, token: RequestId): Notification[] {
  return client
    .notificationsOf("notifications/progress")
    .filter(({ params }) => params.progressToken === token);
}

describe("progress", () => {
  it.each<[string, RequestId]>([
    ["text", "a token"],
    ["an empty text", ""],
    ["text that looks like a number", "42"],
    ["a number", 42],
    ["zero", 0],
    ["a negative number", -7],
    ["a large number", Number.MAX_SAFE_INTEGER],
  ])("comes under the client's own token: %s", async (_what, progressToken) => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const answer = await useTool(client, "dev/fx/progress", { n: 4 }, { meta: { progressToken } });
    expect(textOf(answer)).toBe("progress 4");
    const all = client.notificationsOf("notifications/progress");
    expect(all.map(({ params }) => params)).toEqual(
      [1, 2, 3, 4].map((step) => ({
        progressToken,
        progress: step,
        total: 4,
        message: `step ${step} of 4`,
        "x-unknown": { step },
      })),
    );
  });

  it("keeps the rest of the request's _meta beside the token", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const meta = { progressToken: "t", "trace/id": "tr-1", nested: { a: [1] } };
    const status = await fixtureStatus(client, "dev/fx", { meta });
    expect(status.meta).toEqual({ ...meta, progressToken: status.tokens[0] });
  });

  it("is not asked for on behalf of a client that did not ask", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await useTool(client, "dev/fx/progress", { n: 3 });
    const { tokens, meta } = await fixtureStatus(client, "dev/fx");
    expect(tokens).toEqual([]);
    expect(meta).toBeUndefined();
    expect(client.notificationsOf("notifications/progress")).toEqual([]);
  });

  it.each(["sdk", "python", "odd"])(
    "sent in one breath with the result all arrives before it (%s)",
    async (order) => {
      const { client } = await startWorkbench(cleanup, dev({ fx: fixture("--key-order", order) }));
      const meta = { progressToken: 9 };
      const answer = await useTool(client, "dev/fx/progress_burst", { n: 50 }, { meta });
      await client.request("ping");
      const steps = progressFor(client, 9);
      expect(steps.map(({ params }) => params.progress)).toEqual(
        Array.from({ length: 50 }, (_, i) => i + 1),
      );
      expect(Math.max(...steps.map(({ index }) => index))).toBeLessThan(answer.index);
    },
  );

  it("is never heard after the result, even if the server goes on", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const meta = { progressToken: "t" };
    const answer = await useTool(client, "dev/fx/progress_burst", { n: 2, late: 3 }, { meta });
    await useTool(client, "dev/fx/echo", { text: "everything before this has arrived" });
    expect(progressFor(client, "t").map(({ index }) => index < answer.index)).toEqual([true, true]);
  });

  it("of several calls is never mixed up, even under tokens that look alike", async () => {
    const { client } = await startWorkbench(cleanup, dev({ one: fixture(), two: fixture() }));
    const calls: [string, RequestId, number][] = [
      ["dev/one", 1, 5],
      ["dev/one", "1", 6],
      ["dev/two", 2, 7],
      ["dev/two", "2", 8],
    ];
    await Promise.all(
      calls.map(([server, progressToken, n]) =>
        useTool(client, `${server}/progress`, { n }, { meta: { progressToken } }),
      ),
    );
    for (const [, token, n] of calls) {
      expect(progressFor(client, token).map(({ params }) => params.total)).toEqual(
        Array.from({ length: n }, () => n),
      );
    }
  });

  it("under one and the same token can follow call after call", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    for (const n of [2, 3]) {
      await useTool(client, "dev/fx/progress", { n }, { meta: { progressToken: "again" } });
    }
    expect(progressFor(client, "again").map(({ params }) => params.total)).toEqual([2, 2, 3, 3, 3]);
  });
});

describe("cancelling", () => {
  /** Starts a long call and waits until the server has it. */
  async function longCall(
    workbench: RunningWorkbench,
    server: string,
    id: RequestId,
    args: object = {},
  ): Promise<RequestId | undefined> {
    const params = {
      name: "use_tool",
      arguments: {
        tool: { toolbox: "dev", server, name: "sleep" },
        arguments: { ms: 60_000, ...args },
      },
    };
    const before = workbench.witness("dev", server).callsOf("sleep").length;
    workbench.client.sendLine(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    return waitFor(
      () => workbench.witness("dev", server).callsOf("sleep")[before]?.id,
      15_000,
      "the call to reach the server",
    );
  }

  const cancelled = (workbench: RunningWorkbench, server: string) =>
    workbench
      .witness("dev", server)
      .messages("notifications/cancelled")
      .map(({ params }) => params);

  it.each<[string, RequestId]>([
    ["a number", 4711],
    ["a text", "call-1"],
  ])("reaches the right server under the id it knows: %s", async (_what, id) => {
    const workbench = await startWorkbench(cleanup, dev({ one: fixture(), two: fixture() }));
    const other = await longCall(workbench, "two", "other");
    const sent = await longCall(workbench, "one", id);
    workbench.client.notify("notifications/cancelled", { requestId: id, reason: "too slow" });
    await waitFor(() => cancelled(workbench, "one").length > 0, 15_000, "the cancellation");
    expect(cancelled(workbench, "one")).toEqual([{ requestId: sent, reason: "too slow" }]);
    expect(cancelled(workbench, "two")).toEqual([]);
    workbench.client.notify("notifications/cancelled", { requestId: "other" });
    await waitFor(() => cancelled(workbench, "two").length > 0, 15_000, "the cancellation");
    expect(cancelled(workbench, "two")[0]?.requestId).toBe(other);
  });

  it("stops just the one call among several of the same server", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const { client } = workbench;
    await longCall(workbench, "fx", "first");
    const second = await longCall(workbench, "fx", "second");
    const third = useTool(client, "dev/fx/sleep", { ms: 300 });
    client.notify("notifications/cancelled", { requestId: "second" });
    expect(textOf(await third)).toBe("slept 300");
    expect(cancelled(workbench, "fx").map((params) => params?.requestId)).toEqual([second]);
  });

  it("swallows a late answer", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const { client } = workbench;
    await longCall(workbench, "fx", "late", { answerAfterCancel: true });
    client.notify("notifications/cancelled", { requestId: "late" });
    await waitFor(() => cancelled(workbench, "fx").length > 0, 15_000, "the cancellation");
    // The late answer is written before this one is, on the same pipe.
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "after" }))).toBe("after");
    expect(client.responsesTo("late")).toEqual([]);
  });

  it("of a call that waits for its server keeps the call from being made", async () => {
    const go = join(temporaryFolder(cleanup), "go");
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture("--wait-for", go) }));
    const { client } = workbench;
    const params = {
      name: "use_tool",
      arguments: { tool: { toolbox: "dev", server: "fx", name: "a_b" }, arguments: {} },
    };
    client.sendLine(JSON.stringify({ jsonrpc: "2.0", id: "early", method: "tools/call", params }));
    await waitFor(() => workbench.witness("dev", "fx").starts === 1, 15_000, "the start");
    client.notify("notifications/cancelled", { requestId: "early" });
    await client.request("ping");
    writeFileSync(go, "");
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "later" }))).toBe("later");
    expect(workbench.witness("dev", "fx").callsOf("a_b")).toEqual([]);
    expect(client.responsesTo("early")).toEqual([]);
  });

  it("something that is finished, unknown or misspelt changes nothing", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const { client } = workbench;
    await useTool(client, "dev/fx/echo", { text: "done" }, { id: "done" });
    for (const requestId of ["done", "never", 99, null, {}, []]) {
      client.notify("notifications/cancelled", { requestId });
    }
    client.notify("notifications/cancelled");
    client.notify("notifications/cancelled", {});
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "fine" }))).toBe("fine");
    expect(cancelled(workbench, "fx")).toEqual([]);
  });

  it("twice is told once", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await longCall(workbench, "fx", "twice");
    workbench.client.notify("notifications/cancelled", { requestId: "twice" });
    workbench.client.notify("notifications/cancelled", { requestId: "twice" });
    await useTool(workbench.client, "dev/fx/echo", { text: "x" });
    expect(cancelled(workbench, "fx")).toHaveLength(1);
  });

  it("does not mistake a number for a text with the same digits", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await longCall(workbench, "fx", "5000");
    workbench.client.notify("notifications/cancelled", { requestId: 5000 });
    await useTool(workbench.client, "dev/fx/echo", { text: "x" });
    expect(cancelled(workbench, "fx")).toEqual([]);
  });
});
