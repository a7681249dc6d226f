import { expect } from "vitest";
import type { Json } from "../../support/clients/matrix-client.ts";
import {
  CONTENTS,
  EXTRA_RESOURCE,
  RESOURCES,
  RESOURCE_TEMPLATES,
  RESULT_META,
} from "../servers/definitions.mjs";
import { type Subject, jsonOf } from "../subject.ts";
import { ownMeta } from "./fixture-tools.ts";
import type { Probes } from "./probe.ts";
import { until } from "./until.ts";

const WATCHED = "fixture://watched";
const UPDATED = "notifications/resources/updated";

async function readsAs(subject: Subject, uri: string): Promise<void> {
  const result = await subject.read(uri);
  expect(result["contents"]).toEqual([CONTENTS[uri]]);
  expect(ownMeta(result)).toEqual(RESULT_META);
}

export const resourceProbes: Probes = {
  resourcesList: async (subject) => {
    expect((await subject.resources())[0]).toEqual(RESOURCES[0]);
  },
  resourcesPages: async (subject) => {
    expect(await subject.resources()).toEqual(RESOURCES);
    expect(await subject.templates()).toEqual(RESOURCE_TEMPLATES);
  },
  resourcesChanged: async (subject) => {
    const { inbox } = subject.client;
    const stop = await subject.client.watch({ resourcesListChanged: true });
    for (const on of [true, false]) {
      const mark = inbox.notifications.length;
      await subject.tool("change", { kind: "resources", on });
      await inbox.next("notifications/resources/list_changed", mark);
      const uris = (await subject.resources()).map(({ uri }) => uri);
      expect(uris.includes(EXTRA_RESOURCE.uri)).toBe(on);
    }
    await stop();
  },
  readText: (subject) => readsAs(subject, "fixture://text"),
  readBinary: (subject) => readsAs(subject, "fixture://blob"),
  templates: async (subject) => {
    expect((await subject.templates())[0]).toEqual(RESOURCE_TEMPLATES[0]);
    const { contents } = await subject.read("fixture://item/7");
    expect(contents).toEqual([
      { uri: "fixture://item/7", mimeType: "application/json", text: '{"id":7}' },
    ]);
    const odd = "fixture://path/a//b%2Fc?d=e#f__g";
    expect((await subject.read(odd))["contents"]).toEqual([
      { uri: odd, text: odd.slice("fixture://path/".length) },
    ]);
  },
  notFound: async (subject) => {
    const failure = await subject.read("fixture://nope").catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: -32602,
      message: "Resource not found: fixture://nope",
      data: { uri: "fixture://nope" },
    });
  },
  bareUri: async (subject) => {
    const { content } = await subject.tool("content");
    const link = (content as Json[]).find(({ type }) => type === "resource_link");
    const { contents } = await subject.client.request("resources/read", { uri: link?.["uri"] });
    expect(contents).toEqual([CONTENTS["fixture://text"]]);
    const item = await subject.client.request("resources/read", { uri: "fixture://item/8" });
    expect(item["contents"]).toMatchObject([{ text: '{"id":8}' }]);
  },
  updated: async (subject) => {
    const { inbox, era } = subject.client;
    const uri = subject.uri(WATCHED);
    const stop = await subject.client.watch({ resourceSubscriptions: [uri] });
    const mark = inbox.notifications.length;
    await subject.tool("touch", { uri: "fixture://text" });
    await subject.tool("touch", { uri: WATCHED });
    const params = await inbox.next(UPDATED, mark, (found) => found["uri"] === uri);
    if (era === "legacy") expect(params).toEqual({ uri });
    await stop();
  },
  unsubscribed: async (subject) => {
    const { inbox } = subject.client;
    const uri = subject.uri(WATCHED);
    const stop = await subject.client.watch({ resourceSubscriptions: [uri] });
    await stop();
    await until(async () => {
      const { subscribed } = jsonOf(await subject.tool("told"));
      return (subscribed as string[]).includes(WATCHED) ? undefined : true;
    }, "the server to be notified");
    const mark = inbox.notifications.length;
    await subject.tool("touch", { uri: WATCHED });
    await subject.tool("echo", { text: "later" });
    const received = inbox.notifications.slice(mark).filter(({ method }) => method === UPDATED);
    expect(received).toEqual([]);
  },
};
