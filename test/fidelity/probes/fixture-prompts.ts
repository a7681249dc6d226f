import { expect } from "vitest";
import type { Json } from "../../support/clients/matrix-client.ts";
import { CONTENTS, EXTRA_PROMPT, PROMPTS, RESULT_META, TINY_PNG } from "../servers/definitions.mjs";
import type { Subject } from "../subject.ts";
import { ownMeta } from "./fixture-tools.ts";
import type { Probes } from "./probe.ts";

const LEVEL_KEY = "io.modelcontextprotocol/logLevel";
const MESSAGE = "notifications/message";

/**
 * Checks which messages arrive while the server logs, if the client sets this level. Over HTTP they
 * may take another connection than the answer, and arrive after it.
 */
async function expectLogged(
  subject: Subject,
  level: string | undefined,
  wanted: readonly string[],
): Promise<void> {
  const { client } = subject;
  const mark = client.inbox.notifications.length;
  if (client.era === "legacy") await client.request("logging/setLevel", { level });
  const meta = client.era === "modern" && level !== undefined && { meta: { [LEVEL_KEY]: level } };
  await subject.tool("log", {}, { ...meta });
  await subject.tool("echo", { text: "afterwards" });
  const last = wanted.at(-1);
  if (last !== undefined)
    await client.inbox.next(MESSAGE, mark, (params) => params["level"] === last);
  const messages = client.inbox.notifications
    .slice(mark)
    .filter(({ method }) => method === MESSAGE);
  for (const { params } of messages)
    expect(params).toMatchObject({
      logger: "fixture",
      data: { about: params["level"], n: [1, null] },
    });
  expect(messages.map(({ params }) => params["level"])).toEqual(wanted);
}

export const promptProbes: Probes = {
  promptsList: async (subject) => {
    expect((await subject.prompts())[0]).toEqual(PROMPTS[0]);
  },
  promptsPages: async (subject) => {
    expect(await subject.prompts()).toEqual(PROMPTS);
  },
  promptsChanged: async (subject) => {
    const { inbox } = subject.client;
    const stop = await subject.client.watch({ promptsListChanged: true });
    for (const on of [true, false]) {
      const mark = inbox.notifications.length;
      await subject.tool("change", { kind: "prompts", on });
      await inbox.next("notifications/prompts/list_changed", mark);
      const names = (await subject.prompts()).map(({ name }) => name);
      expect(names.includes(EXTRA_PROMPT.name)).toBe(on);
    }
    await stop();
  },
  promptGet: async (subject) => {
    const result = await subject.getPrompt("greet", { language: "greek", tone: "warmly" });
    expect(result).toMatchObject({
      description: "A greeting",
      messages: [{ role: "user", content: { type: "text", text: "Greet in greek, warmly" } }],
    });
    expect(ownMeta(result)).toEqual(RESULT_META);
  },
  promptRich: async (subject) => {
    const { messages } = await subject.getPrompt("rich");
    expect(messages).toEqual([
      { role: "user", content: { type: "image", data: TINY_PNG, mimeType: "image/png" } },
      { role: "user", content: { type: "resource", resource: CONTENTS["fixture://text"] } },
    ]);
  },
};

export const utilityProbes: Probes = {
  completePrompt: async (subject) => {
    const ref = { type: "ref/prompt", name: subject.promptName("greet") };
    const argument = { name: "language", value: "g" };
    const complete = (more: Json): Promise<Json> =>
      subject.client.request("completion/complete", { ref, argument, ...more });
    expect((await complete({}))["completion"]).toEqual({
      values: ["german", "greek"],
      total: 2,
      hasMore: false,
    });
    const warm = await complete({ context: { arguments: { tone: "warm" } } });
    expect(warm["completion"]).toMatchObject({ values: ["greek"] });
  },
  completeTemplate: async (subject) => {
    const { completion } = await subject.client.request("completion/complete", {
      ref: { type: "ref/resource", uri: subject.uri("fixture://item/{id}") },
      argument: { name: "id", value: "4" },
    });
    expect(completion).toEqual({ values: ["40", "41"], total: 12, hasMore: true });
  },
  logging: async (subject) => {
    await expectLogged(subject, "warning", ["warning", "error"]);
    await expectLogged(subject, "debug", ["debug", "warning", "error"]);
    await expectLogged(subject, subject.client.era === "modern" ? undefined : "emergency", []);
  },
  ping: async (subject) => {
    expect(await subject.client.request("ping")).toEqual({});
  },
};
