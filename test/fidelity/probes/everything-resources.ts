import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "../../support/clients/matrix-client.ts";
import type { Subject } from "../subject.ts";
import { referenceOfEverything } from "./everything-reference.ts";
import type { Probes } from "./probe.ts";

const WATCHED = "demo://resource/dynamic/text/1";
const UPDATED = "notifications/resources/updated";
const MESSAGE = "notifications/message";
const LEVEL_KEY = "io.modelcontextprotocol/logLevel";
const LOG_EVERY_MS = 5000;

/** Turns a feature of the server on and off again; it acts once when it is turned on. */
async function toggled(subject: Subject, tool: string, meta?: Json): Promise<void> {
  const options = meta === undefined ? {} : { meta };
  await subject.tool(tool, {}, options);
  // The server's notification may arrive after the answer.
  await subject.tool("echo", { message: "meanwhile" }, options);
  await subject.tool(tool, {}, options);
}

async function levelsLogged(subject: Subject, level: string): Promise<unknown[]> {
  const { client } = subject;
  if (client.era === "legacy") await client.request("logging/setLevel", { level });
  const mark = client.inbox.notifications.length;
  const meta = client.era === "modern" ? { [LEVEL_KEY]: level } : undefined;
  await toggled(subject, "toggle-simulated-logging", meta);
  // Over HTTP it may take another connection than the answers, and arrive after them.
  if (level === "debug") await client.inbox.next(MESSAGE, mark);
  const messages = client.inbox.notifications
    .slice(mark)
    .filter(({ method }) => method === MESSAGE);
  return messages.map(({ params }) => params["level"]);
}

export const everythingResourceProbes: Probes = {
  resourcesList: async (subject) => {
    const { resources } = await referenceOfEverything();
    const listed = await subject.resources();
    for (const resource of resources) expect(listed).toContainEqual(resource);
  },
  resourcesChanged: async (subject) => {
    const { inbox } = subject.client;
    const stop = await subject.client.watch({ resourcesListChanged: true });
    const mark = inbox.notifications.length;
    const name = `${subject.client.kind}-${randomUUID()}.gz`;
    const data = "data:text/plain,hello";
    await subject.tool("gzip-file-as-resource", { name, data, outputType: "resourceLink" });
    await inbox.next("notifications/resources/list_changed", mark);
    const uris = (await subject.resources()).map(({ uri }) => uri);
    expect(uris).toContain(`demo://resource/session/${name}`);
    await stop();
  },
  readText: async (subject) => {
    const uri = "demo://resource/static/document/instructions.md";
    const { instructions } = await referenceOfEverything();
    const { contents } = await subject.read(uri);
    expect(contents).toEqual([{ uri, mimeType: "text/markdown", text: instructions }]);
  },
  readBinary: async (subject) => {
    const { contents } = await subject.read("demo://resource/dynamic/blob/5");
    const [content] = contents as { blob: string }[];
    const text = Buffer.from(content?.blob ?? "", "base64").toString("utf8");
    expect(text).toMatch(/^Resource 5: This is a base64 blob/);
  },
  templates: async (subject) => {
    expect(await subject.templates()).toEqual((await referenceOfEverything()).templates);
    const { contents } = await subject.read("demo://resource/dynamic/text/3");
    expect(contents).toMatchObject([{ text: expect.stringMatching(/^Resource 3: /) }]);
  },
  notFound: async (subject) => {
    await expect(subject.read("demo://nope")).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("demo://nope"),
    });
  },
  bareUri: async (subject) => {
    const { content } = await subject.tool("get-resource-links", { count: 1 });
    const link = (content as Json[]).find(({ type }) => type === "resource_link");
    const { contents } = await subject.client.request("resources/read", { uri: link?.["uri"] });
    expect(contents).toMatchObject([{ uri: link?.["uri"], blob: expect.any(String) }]);
  },
  updated: async (subject) => {
    const { inbox } = subject.client;
    const uri = subject.uri(WATCHED);
    const stop = await subject.client.watch({ resourceSubscriptions: [uri] });
    const mark = inbox.notifications.length;
    await toggled(subject, "toggle-subscriber-updates");
    await inbox.next(UPDATED, mark, (params) => params["uri"] === uri);
    await stop();
  },
  unsubscribed: async (subject) => {
    const { inbox } = subject.client;
    const stop = await subject.client.watch({ resourceSubscriptions: [subject.uri(WATCHED)] });
    await stop();
    const mark = inbox.notifications.length;
    await toggled(subject, "toggle-subscriber-updates");
    const received = inbox.notifications.slice(mark).filter(({ method }) => method === UPDATED);
    expect(received).toEqual([]);
  },
  promptsList: async (subject) => {
    expect(await subject.prompts()).toEqual((await referenceOfEverything()).prompts);
  },
  promptGet: async (subject) => {
    const { messages } = await subject.getPrompt("args-prompt", { city: "Oslo", state: "NO" });
    const text = "What's weather in Oslo, NO?";
    expect(messages).toEqual([{ role: "user", content: { type: "text", text } }]);
  },
  promptRich: async (subject) => {
    const args = { resourceType: "Blob", resourceId: "4" };
    const { messages } = await subject.getPrompt("resource-prompt", args);
    expect(messages).toMatchObject([
      { content: { type: "text" } },
      { content: { type: "resource", resource: { uri: "demo://resource/dynamic/blob/4" } } },
    ]);
  },
  completePrompt: async (subject) => {
    const { completion } = await subject.client.request("completion/complete", {
      ref: { type: "ref/prompt", name: subject.promptName("completable-prompt") },
      argument: { name: "name", value: "" },
      context: { arguments: { department: "Sales" } },
    });
    expect(completion).toMatchObject({ values: ["David", "Eve", "Frank"] });
  },
  completeTemplate: async (subject) => {
    const { completion } = await subject.client.request("completion/complete", {
      ref: { type: "ref/resource", uri: subject.uri("demo://resource/dynamic/text/{resourceId}") },
      argument: { name: "resourceId", value: "12" },
    });
    expect(completion).toMatchObject({ values: ["12"] });
  },
  // The server logs one message of a random level at once, and one more every five seconds.
  logging: async (subject) => {
    const begin = performance.now();
    const logged = await levelsLogged(subject, "debug");
    const most = 1 + Math.floor((performance.now() - begin) / LOG_EVERY_MS);
    expect(logged.length).toBeGreaterThanOrEqual(1);
    expect(logged.length).toBeLessThanOrEqual(most);
    for (const level of await levelsLogged(subject, "emergency")) expect(level).toBe("emergency");
  },
  ping: async (subject) => {
    expect(await subject.client.request("ping")).toEqual({});
  },
};
