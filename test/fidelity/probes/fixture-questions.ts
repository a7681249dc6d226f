import { expect } from "vitest";
import {
  FORM_ANSWER,
  type Json,
  ROOTS_ANSWER,
  SAMPLING_ANSWER,
  URL_ANSWER,
} from "../../support/clients/matrix-client.ts";
import { QUESTIONS, type QuestionName } from "../servers/definitions.mjs";
import { ISOLATED, SERVER, SHARED, type Subject, jsonOf, textOf } from "../subject.ts";
import { held } from "./fixture-tools.ts";
import type { Probe, Probes } from "./probe.ts";
import { until } from "./until.ts";

const ANSWERS = {
  form: FORM_ANSWER,
  url: URL_ANSWER,
  sampling: SAMPLING_ANSWER,
  roots: ROOTS_ANSWER,
};

type Source = "Tool" | "Prompt" | "Resource";

/** Makes the server send a request, and returns the answer it received. */
async function answerTo(subject: Subject, what: QuestionName, from: Source): Promise<Json> {
  if (from === "Tool") return jsonOf(await subject.tool("ask", { what }));
  if (from === "Prompt") {
    const { messages } = await subject.getPrompt("ask", { what });
    const [message] = messages as readonly { content: { text: string } }[];
    return JSON.parse(message?.content.text ?? "null") as Json;
  }
  const { contents } = await subject.read(`fixture://ask/${what}`);
  const [content] = contents as readonly { text: string }[];
  return JSON.parse(content?.text ?? "null") as Json;
}

/** The request as the client must see it, with what its era adds. */
function expectQuestion(seen: Json, what: QuestionName, subject: Subject): void {
  const { _meta: meta = {}, elicitationId, ...params } = seen;
  const { method, params: written } = QUESTIONS[what];
  const expected = subject.withOrigin(method, written);
  expect(params).toEqual(expected);
  // The modern SDK does not pass a request's `_meta` to its application.
  const showsMeta = subject.client.kind !== "sdk-v2-modern";
  const origin = { toolbox: subject.toolbox, server: SERVER };
  if (expected !== written && showsMeta)
    expect(meta).toMatchObject({ "mcp-workbench/origin": origin });
  if (what === "url" && subject.client.era === "legacy") expect(elicitationId).toMatch(/./);
}

function asks(what: QuestionName, from: Source): Probe {
  return async (subject) => {
    const { questions } = subject.client.inbox;
    const mark = questions.length;
    expect(await answerTo(subject, what, from)).toEqual(ANSWERS[what]);
    const [question, ...more] = questions.slice(mark);
    expect(question?.method).toBe(QUESTIONS[what].method);
    expect(more).toEqual([]);
    expectQuestion(question?.params ?? {}, what, subject);
  };
}

/** Starts a call that runs until it is ended, and waits until the server works on it. */
async function occupy(subject: Subject): Promise<() => Promise<void>> {
  const abort = new AbortController();
  let call: Promise<unknown> | undefined;
  await new Promise<void>((resolve, reject) => {
    call = subject.tool(
      "wait",
      { nonce: "occupied" },
      { signal: abort.signal, onProgress: () => resolve() },
    );
    call.catch(reject);
  });
  return async () => {
    abort.abort(new Error("done"));
    await call?.catch(() => undefined);
  };
}

export const questionProbes: Probes = {
  formFromTool: asks("form", "Tool"),
  formFromPrompt: asks("form", "Prompt"),
  formFromResource: asks("form", "Resource"),
  formDeclined: async (subject) => {
    subject.client.inbox.declineNext = true;
    expect(await answerTo(subject, "form", "Tool")).toEqual({ action: "decline" });
  },
  urlFromTool: asks("url", "Tool"),
  urlFromPrompt: asks("url", "Prompt"),
  urlFromResource: asks("url", "Resource"),
  samplingFromTool: asks("sampling", "Tool"),
  samplingFromPrompt: asks("sampling", "Prompt"),
  samplingFromResource: asks("sampling", "Resource"),
  rootsFromTool: asks("roots", "Tool"),
  rootsFromPrompt: asks("roots", "Prompt"),
  rootsFromResource: asks("roots", "Resource"),
  rounds: async (subject) => {
    const { questions } = subject.client.inbox;
    const mark = questions.length;
    expect(jsonOf(await subject.tool("ask_rounds"))).toEqual({
      state: "named Ada",
      model: SAMPLING_ANSWER,
    });
    expect(questions.slice(mark).map(({ method }) => method)).toEqual([
      "elicitation/create",
      "sampling/createMessage",
    ]);
  },
  manyAtOnce: async (subject) => {
    const { questions } = subject.client.inbox;
    const mark = questions.length;
    expect(jsonOf(await subject.tool("ask_many"))).toEqual({
      form: FORM_ANSWER,
      url: URL_ANSWER,
      roots: ROOTS_ANSWER,
      state: "three at once",
    });
    const methods = questions.slice(mark).map(({ method }) => method);
    expect(methods.sort()).toEqual(["elicitation/create", "elicitation/create", "roots/list"]);
  },
  progressAfterQuestion: async (subject) => {
    const { seen } = await held(subject, "ask", { what: "form" }, "answered");
    // The modern SDK reports its own retry as progress before.
    expect(seen.at(-1)).toEqual({ progress: 1, message: "answered" });
  },
  rootsChanged: async (subject) => {
    await subject.client.notify("notifications/roots/list_changed", {});
    await until(async () => {
      const { heard } = jsonOf(await subject.tool("told"));
      return (heard as Json[]).find(({ method }) => method === "notifications/roots/list_changed");
    }, "the server to be notified");
  },
  sharedRefused: async (subject, site) => {
    const end = await occupy(subject);
    const other = await site.another(SHARED);
    try {
      const { content, isError } = await other.tool("ask", { what: "form" });
      expect(isError).toBe(true);
      expect(JSON.stringify(content)).toContain(String.raw`\"isolation\": \"session\"`);
      expect(other.client.inbox.questions).toEqual([]);
    } finally {
      await other.client.close();
      await end();
    }
  },
  sharedIsolated: async (_subject, site) => {
    const [one, other] = await Promise.all([site.another(ISOLATED), site.another(ISOLATED)]);
    const end = await occupy(one);
    try {
      expect(await answerTo(other, "form", "Tool")).toEqual(FORM_ANSWER);
      expect(one.client.inbox.questions).toEqual([]);
      expect(other.client.inbox.questions).toHaveLength(1);
      expect(textOf(await other.tool("echo", { text: "still there" }))).toBe("still there");
    } finally {
      await end();
      await Promise.all([one.client.close(), other.client.close()]);
    }
  },
};
