import { expect } from "vitest";
import type { Json, Incoming } from "../../support/clients/matrix-client.ts";
import { ISOLATED, SHARED, type Subject } from "../subject.ts";
import type { Probes } from "./probe.ts";

/** Calls a tool that sends a request; returns its result and the request. */
async function asking(
  subject: Subject,
  tool: string,
  args: Json = {},
): Promise<{ content: string; asked: readonly Incoming[] }> {
  const { questions } = subject.client.inbox;
  const mark = questions.length;
  const result = await subject.tool(tool, args);
  return { content: JSON.stringify(result["content"]), asked: questions.slice(mark) };
}

/** Keeps the server busy with a call of this client. */
async function occupy(subject: Subject): Promise<() => Promise<void>> {
  const abort = new AbortController();
  let call: Promise<unknown> | undefined;
  await new Promise<void>((resolve, reject) => {
    const options = { signal: abort.signal, onProgress: () => resolve() };
    call = subject.tool("trigger-long-running-operation", { duration: 20, steps: 100 }, options);
    call.catch(reject);
  });
  return async () => {
    abort.abort(new Error("done"));
    await call?.catch(() => undefined);
  };
}

const TASK = { extra: { task: { ttl: 60_000 } } };

async function startTask(subject: Subject): Promise<string> {
  const { task } = await subject.tool("simulate-research-query", { topic: "bees" }, TASK);
  const { taskId, status } = task as { taskId: string; status: string };
  expect(status).toBe("working");
  return taskId;
}

export const everythingQuestionProbes: Probes = {
  formFromTool: async (subject) => {
    const { content, asked } = await asking(subject, "trigger-elicitation-request");
    expect(content).toContain("- Name: Ada");
    expect(asked).toMatchObject([
      {
        method: "elicitation/create",
        params: { requestedSchema: { properties: { name: { title: "String" } } } },
      },
    ]);
  },
  formDeclined: async (subject) => {
    subject.client.inbox.declineNext = true;
    const { content } = await asking(subject, "trigger-elicitation-request");
    expect(content).toContain("declined");
  },
  urlFromTool: async (subject) => {
    const url = "https://example.com/consent?x=1";
    const { content, asked } = await asking(subject, "trigger-url-elicitation", { url });
    expect(content).toContain(String.raw`\"action\": \"accept\"`);
    expect(asked).toMatchObject([{ params: { mode: "url", url } }]);
    // The modern era does not use it, and its SDK drops it.
    if (subject.client.kind !== "sdk-v2-modern")
      expect(asked[0]?.params["elicitationId"]).toMatch(/./);
  },
  samplingFromTool: async (subject) => {
    const { content, asked } = await asking(subject, "trigger-sampling-request", { prompt: "hi" });
    expect(content).toContain("Hello from the model");
    expect(asked).toMatchObject([
      {
        method: "sampling/createMessage",
        params: subject.withOrigin("sampling/createMessage", {
          systemPrompt: "You are a helpful test server.",
        }),
      },
    ]);
  },
  // The server asks once, at the latest when the tool is called, and then remembers the answer.
  rootsFromTool: async (subject) => {
    const { content } = await asking(subject, "get-roots-list");
    expect(content).toContain("file:///home/ada/project");
  },
  rootsChanged: async (subject) => {
    const { inbox } = subject.client;
    const mark = inbox.questions.length;
    await subject.client.notify("notifications/roots/list_changed", {});
    await inbox.until(
      () => inbox.questions.slice(mark).find(({ method }) => method === "roots/list"),
      "the server to ask for the roots again",
    );
  },
  sharedRefused: async (subject, site) => {
    const end = await occupy(subject);
    const other = await site.another(SHARED);
    try {
      const { content } = await asking(other, "trigger-elicitation-request");
      expect(content).toContain(String.raw`\"isolation\": \"session\"`);
    } finally {
      await other.client.close();
      await end();
    }
  },
  sharedIsolated: async (_subject, site) => {
    const [one, other] = await Promise.all([site.another(ISOLATED), site.another(ISOLATED)]);
    const end = await occupy(one);
    try {
      const { content, asked } = await asking(other, "trigger-elicitation-request");
      expect(content).toContain("- Name: Ada");
      expect(asked.map(({ method }) => method)).toContain("elicitation/create");
      const forms = one.client.inbox.questions.filter(({ method }) => method !== "roots/list");
      expect(forms).toEqual([]);
    } finally {
      await end();
      await Promise.all([one.client.close(), other.client.close()]);
    }
  },
  legacyTask: async (subject) => {
    const taskId = await startTask(subject);
    const { client } = subject;
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ taskId });
    const result = await client.request("tasks/result", { taskId });
    expect(JSON.stringify(result["content"])).toContain("Research Report: bees");
  },
  legacyTaskList: async (subject) => {
    const taskId = await startTask(subject);
    const { client } = subject;
    // The task ends by itself after four seconds, and a busy machine may need that long: then the server refuses.
    const status = await client.request("tasks/cancel", { taskId }).then(
      () => "cancelled",
      (error: unknown) => {
        expect(String(error)).toContain("Cannot cancel task in terminal status: completed");
        return "completed";
      },
    );
    const { tasks } = await client.request("tasks/list");
    expect((tasks as Json[]).map((task) => task["taskId"])).toContain(taskId);
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ status });
  },
};
