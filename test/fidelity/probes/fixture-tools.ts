import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "../../support/clients/matrix-client.ts";
import {
  BLOCKS,
  EXOTIC_TOOL,
  EXTRA_TOOL,
  RESULT_META,
  RICH_TOOL,
  RPC_ERROR,
  STRUCTURED,
  TASK_TOOL,
  TOOLS,
  UNKNOWN_BLOCK,
} from "../servers/definitions.mjs";
import { type Subject, jsonOf, textOf } from "../subject.ts";
import type { Probe, Probes } from "./probe.ts";
import { until } from "./until.ts";

const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";

function block(type: string): Probe {
  return async (subject) => {
    const { content } = await subject.tool("content");
    const wanted = BLOCKS.filter((candidate) => candidate["type"] === type);
    expect((content as Json[]).filter((found) => found["type"] === type)).toEqual(wanted);
  };
}

/** `_meta` of a result, without what the era itself adds. */
export function ownMeta({ _meta: meta }: Json): Json {
  const { [SERVER_INFO_KEY]: _info, ...own } = (meta ?? {}) as Json;
  return own;
}

/** Reaches the server unchanged, and comes back in its report. */
async function metaArrives(subject: Subject, meta: Json): Promise<void> {
  const told = jsonOf(await subject.tool("told", { n: 1 }, { meta }));
  expect(told["meta"]).toEqual(meta);
  expect(told["arguments"]).toEqual({ n: 1 });
}

/** Calls a tool that keeps its result back until the client has seen progress with this message. */
export async function held(
  subject: Subject,
  tool: string,
  args: Json,
  last: string,
): Promise<{ seen: Json[]; result: Json }> {
  const hold = `${tool}-${subject.client.kind}-${randomUUID()}`;
  const seen: Json[] = [];
  let release: Promise<unknown> | undefined;
  const onProgress = (params: Json): void => {
    seen.push(params);
    if (params["message"] === last) release ??= subject.tool("go_on", { hold });
  };
  const result = await subject.tool(tool, { ...args, hold }, { onProgress });
  await release;
  return { seen, result };
}

const named =
  (name: string) =>
  (items: readonly Json[]): Json | undefined =>
    items.find((item) => item["name"] === name);

export const toolProbes: Probes = {
  toolsList: async (subject) => {
    const tools = await subject.tools();
    expect(named("structured")(tools)).toEqual(RICH_TOOL);
    if (subject.column.server === "modern-only" && subject.client.kind.startsWith("raw"))
      expect(named("exotic")(tools)).toEqual(EXOTIC_TOOL);
  },
  toolsPages: async (subject) => {
    const further = subject.column.server === "modern-only" ? [TASK_TOOL, EXOTIC_TOOL] : [];
    const names = (await subject.tools()).map(({ name }) => name);
    expect(names).toEqual([...TOOLS, ...further].map(({ name }) => name));
  },
  toolsChanged: async (subject) => {
    const { client, column } = subject;
    const stop = await client.watch({ toolsListChanged: true });
    const extra = async (): Promise<boolean> =>
      named(EXTRA_TOOL.name)(await subject.tools()) !== undefined;
    for (const on of [true, false]) {
      const mark = client.inbox.notifications.length;
      await subject.tool("change", { kind: "tools", on });
      // The meta-tools do not change; opening the toolbox shows the changes.
      if (column.mode !== "proxy")
        await client.inbox.next("notifications/tools/list_changed", mark);
      await until(async () => ((await extra()) === on ? on : undefined), `the list to change`);
      if (on) expect(textOf(await subject.tool(EXTRA_TOOL.name))).toBe("extra");
    }
    await stop();
  },
  text: block("text"),
  image: block("image"),
  audio: block("audio"),
  resourceLink: block("resource_link"),
  embeddedResource: block("resource"),
  blockAnnotations: async (subject) => {
    const { content } = await subject.tool("content");
    expect(content).toEqual(BLOCKS);
  },
  unknownBlock: async (subject) => {
    expect(await subject.tool("exotic")).toMatchObject({
      content: [UNKNOWN_BLOCK],
      "x-result": [1.5],
    });
  },
  structured: async (subject) => {
    const { structuredContent } = await subject.tool("structured");
    expect(structuredContent).toEqual(STRUCTURED);
  },
  isError: async (subject) => {
    expect(await subject.tool("fails")).toMatchObject({
      content: [{ type: "text", text: "the tool went wrong" }],
      isError: true,
    });
  },
  rpcError: async (subject) => {
    await expect(subject.tool("rpc_error")).rejects.toMatchObject(RPC_ERROR);
  },
  resultMeta: async (subject) => {
    expect(ownMeta(await subject.tool("content"))).toEqual(RESULT_META);
  },
  requestMeta: (subject) =>
    metaArrives(subject, { "fidelity/meta": { deep: [null, 1.5] }, "com.example/x": "y" }),
  trace: (subject) =>
    metaArrives(subject, {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
      tracestate: "vendor=value",
      baggage: "userId=alice",
    }),
  progress: async (subject) => {
    const { seen, result } = await held(subject, "progress", { steps: 3 }, "step 3");
    expect(textOf(result)).toBe("done");
    const step = (progress: number): Json => ({ progress, total: 3, message: `step ${progress}` });
    expect(seen).toEqual([step(1), step(2), step(3)]);
  },
  cancellation: async (subject) => {
    const nonce = `${subject.client.kind}-${randomUUID()}`;
    const abort = new AbortController();
    const call = subject.tool(
      "wait",
      { nonce },
      { signal: abort.signal, onProgress: () => abort.abort(new Error("enough")) },
    );
    await expect(call).rejects.toThrow(/./);
    await until(async () => {
      const { cancelled } = jsonOf(await subject.tool("told"));
      return (cancelled as string[]).includes(nonce) ? true : undefined;
    }, "the server to receive the cancellation");
  },
};
