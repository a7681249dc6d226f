import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "../../support/clients/matrix-client.ts";
import { WORKBENCH_CAPABILITIES, instructionsOf } from "./fixture-hello.ts";
import { referenceOfEverything } from "./everything-reference.ts";
import { textOf } from "../subject.ts";
import type { Probes } from "./probe.ts";

const NEW_YORK = { temperature: 33, conditions: "Cloudy", humidity: 82 };

function ofType(result: Json, type: string): Json[] {
  return (result["content"] as Json[]).filter((block) => block["type"] === type);
}

export const everythingToolProbes: Probes = {
  hello: async (subject) => {
    const { serverInfo, capabilities } = subject.client.hello;
    const reference = await referenceOfEverything();
    if (subject.plain) {
      const { tasks, ...common } = reference.capabilities;
      expect(serverInfo).toEqual(reference.serverInfo);
      // The modern era has no tasks in its core.
      expect(capabilities).toEqual(subject.client.era === "legacy" ? { ...common, tasks } : common);
    } else {
      expect(serverInfo).toMatchObject({ name: "mcp-workbench" });
      expect(capabilities).toMatchObject(WORKBENCH_CAPABILITIES);
    }
  },
  instructions: async (subject) => {
    expect(await instructionsOf(subject)).toBe((await referenceOfEverything()).instructions);
  },
  // The server offers these tools only to clients that can answer them.
  capabilitiesTold: async (subject) => {
    const names = (await subject.tools()).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "get-roots-list",
        "trigger-elicitation-request",
        "trigger-url-elicitation",
        "trigger-sampling-request",
      ]),
    );
  },
  toolsList: async (subject) => {
    const { tools } = await referenceOfEverything();
    // The SDK for the modern era drops what that era has removed.
    const strip = ({ execution, ...tool }: Json): Json =>
      subject.client.kind === "sdk-v2-modern"
        ? tool
        : { ...tool, ...(execution !== undefined && { execution }) };
    expect((await subject.tools()).map(strip)).toEqual(tools.map(strip));
  },
  text: async (subject) => {
    expect(textOf(await subject.tool("echo", { message: "été 🎈" }))).toBe("Echo: été 🎈");
  },
  image: async (subject) => {
    const [image] = ofType(await subject.tool("get-tiny-image"), "image");
    expect(image).toMatchObject({ mimeType: "image/png", data: expect.stringMatching(/^iVBOR/) });
  },
  resourceLink: async (subject) => {
    const links = ofType(await subject.tool("get-resource-links", { count: 2 }), "resource_link");
    expect(links).toMatchObject([
      { uri: "demo://resource/dynamic/blob/1", name: "Blob Resource 1" },
      { uri: "demo://resource/dynamic/text/2", name: "Text Resource 2" },
    ]);
  },
  embeddedResource: async (subject) => {
    for (const [resourceType, member] of [
      ["Text", "text"],
      ["Blob", "blob"],
    ] as const) {
      const result = await subject.tool("get-resource-reference", { resourceType, resourceId: 7 });
      const [block] = ofType(result, "resource");
      expect(block?.["resource"]).toMatchObject({ [member]: expect.any(String) });
    }
  },
  blockAnnotations: async (subject) => {
    const { content } = await subject.tool("get-annotated-message", {
      messageType: "error",
      includeImage: true,
    });
    expect(content).toMatchObject([
      { type: "text", annotations: { priority: 1, audience: ["user", "assistant"] } },
      { type: "image", annotations: { priority: 0.5, audience: ["user"] } },
    ]);
  },
  structured: async (subject) => {
    const result = await subject.tool("get-structured-content", { location: "New York" });
    expect(result["structuredContent"]).toEqual(NEW_YORK);
  },
  isError: async (subject) => {
    const { content, isError } = await subject.tool("get-sum", { a: "no number", b: 1 });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("expected number");
  },
  rpcError: async (subject) => {
    const url = `https://example.com/${subject.client.kind}/${randomUUID()}`;
    const call = subject.tool("trigger-url-elicitation", { url, errorPath: true });
    await expect(call).rejects.toMatchObject({
      code: -32042,
      message: expect.stringContaining("requires browser-based authorization"),
      data: { elicitations: [{ mode: "url", url: "https://modelcontextprotocol.io" }] },
    });
  },
  progress: async (subject) => {
    const seen: unknown[] = [];
    const onProgress = ({ progress, total }: Json): void => {
      // The modern SDK reports its own retry as progress, too.
      if (total === 3) seen.push(progress);
    };
    const { inbox, kind } = subject.client;
    const mark = inbox.progress.length;
    const args = { duration: 0.6, steps: 3 };
    await subject.tool("trigger-long-running-operation", args, { onProgress });
    const arrived = inbox.progress.slice(mark).filter(({ total }) => total === 3);
    expect(arrived.map(({ progress }) => progress)).toEqual([1, 2, 3]);
    // The client SDKs drop progress that arrives together with a result: the last one, for example, or
    // the one before the server asks for roots in the middle of the call.
    const isComplete = kind.startsWith("raw");
    expect(seen).toEqual([1, 2, 3].filter((step) => isComplete || seen.includes(step)));
  },
};
