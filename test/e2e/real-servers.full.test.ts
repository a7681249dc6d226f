/**
 * The public servers through the workbench, used by the official clients of both generations. In the
 * full suite because these servers and clients start slowly; nothing in it measures time.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import type { OpenedToolbox, ToolResult } from "../support/calls.ts";
import { identifier } from "../support/calls.ts";
import { recorded } from "../support/clients/sdk.ts";
import { type Disposables, perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture, publicServer, toolbox } from "../support/servers.ts";
import { type Place, prepareWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

/** The common part of both generations, as far as it is used here. */
interface OfficialClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(
    name: string,
    args: Record<string, unknown>,
    onprogress?: (progress: { progress: number }) => void,
  ): Promise<ToolResult>;
  instructions(): string | undefined;
  close(): Promise<void>;
}

const info = { name: "test", version: "1.0.0" };
const command = ({ command: program, args, env }: Place) => ({
  command: program,
  args: [...args],
  env: { ...env },
  stderr: "pipe" as const,
});

async function connectV1(place: Place): Promise<OfficialClient> {
  const client = new ClientV1(info);
  await client.connect(recorded(new TransportV1(command(place))));
  return {
    listTools: () => client.listTools(),
    callTool: (name, args, onprogress) =>
      client.callTool(
        { name, arguments: args },
        undefined,
        onprogress && { onprogress },
      ) as Promise<ToolResult>,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

async function connectV2(place: Place): Promise<OfficialClient> {
  const client = new ClientV2(info);
  await client.connect(recorded(new TransportV2(command(place))));
  return {
    listTools: () => client.listTools(),
    callTool: (name, args, onprogress) =>
      client.callTool(
        { name, arguments: args },
        onprogress && { onprogress },
      ) as unknown as Promise<ToolResult>,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

interface Session {
  readonly client: OfficialClient;
  readonly place: Place;
  readonly folder: string;
  use(path: string, args?: object): Promise<ToolResult>;
}

async function connect(
  disposables: Disposables,
  how: (place: Place) => Promise<OfficialClient>,
  toolMode: "proxy" | "dynamic" = "proxy",
): Promise<Session> {
  const place: Place = prepareWorkbench(disposables, {
    toolMode,
    toolboxes: {
      files: toolbox({ filesystem: publicServer("filesystem", "${HOME}/files") }, "Files"),
      knowledge: toolbox(
        {
          memory: { ...publicServer("memory"), env: { MEMORY_FILE_PATH: "${HOME}/memory.jsonl" } },
          everything: publicServer("everything", "stdio"),
        },
        "Knowledge and examples",
      ),
    },
  });
  const folder = join(place.home, "files");
  mkdirSync(folder);
  writeFileSync(join(folder, "note.txt"), "a note");
  const client = await how(place);
  disposables.defer(async () => {
    await client.close();
    await waitFor(() => place.servers().length === 0, GENEROUS_MS, "the servers to end");
  });
  return {
    client,
    place,
    folder,
    use: (path, args = {}) =>
      client.callTool("use_tool", { tool: identifier(path), arguments: args }),
  };
}

const textIn = ({ content }: ToolResult): string => content.map(({ text }) => text).join("\n");

describe.each([
  ["v1 (@modelcontextprotocol/sdk)", connectV1],
  ["v2 (@modelcontextprotocol/client)", connectV2],
])("the official client %s", (_generation, how) => {
  it("connects, reads the instructions and lists the tools of the workbench", async () => {
    const { client, place } = await connect(cleanup, how);
    expect(client.instructions()).toContain("knowledge");
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["open_toolbox", "use_tool"]));
    expect(place.servers()).toEqual([]);
  });

  it("opens a toolbox with the memory and the everything server", async () => {
    const { client } = await connect(cleanup, how);
    const result = await client.callTool("open_toolbox", { toolbox: "knowledge" });
    const opened = JSON.parse(textIn(result)) as OpenedToolbox;
    expect(opened.servers_connected).toBe(2);
    const names = opened.tools.map(({ server, name }) => `${server}/${name}`);
    expect(names).toEqual(expect.arrayContaining(["memory/read_graph", "everything/echo"]));
  });

  it("reads and writes files", async () => {
    const { use, folder } = await connect(cleanup, how);
    const path = join(folder, "note.txt");
    expect(textIn(await use("files/filesystem/read_text_file", { path }))).toBe("a note");
    const written = join(folder, "new.txt");
    await use("files/filesystem/write_file", { path: written, content: "été 🎈" });
    expect(readFileSync(written, "utf8")).toBe("été 🎈");
    const outside = await use("files/filesystem/read_text_file", { path: "/etc/hostname" });
    expect(outside.isError).toBe(true);
  });

  it("reaches the same memory server with every call", async () => {
    const { use } = await connect(cleanup, how);
    const entities = [{ name: "workbench", entityType: "tool", observations: ["relays"] }];
    await use("knowledge/memory/create_entities", { entities });
    const graph = await use("knowledge/memory/read_graph");
    expect(textIn(graph)).toContain("relays");
    expect(graph.structuredContent).toMatchObject({ entities });
  });

  it("receives images, annotations, resource links and structured content", async () => {
    const { use } = await connect(cleanup, how);
    const image = await use("knowledge/everything/get-tiny-image");
    expect(image.content.map(({ type }) => type)).toContain("image");
    const annotated = await use("knowledge/everything/get-annotated-message", {
      messageType: "error",
    });
    expect(annotated.content[0]?.annotations).toMatchObject({ priority: 1 });
    const links = await use("knowledge/everything/get-resource-links", { count: 2 });
    expect(links.content.filter(({ type }) => type === "resource_link")).toHaveLength(2);
    const weather = await use("knowledge/everything/get-structured-content", {
      location: "New York",
    });
    expect(weather.structuredContent).toHaveProperty("temperature");
  });

  it("receives progress", async () => {
    const { client } = await connect(cleanup, how);
    const steps: number[] = [];
    const tool = identifier("knowledge/everything/trigger-long-running-operation");
    await client.callTool(
      "use_tool",
      { tool, arguments: { duration: 1, steps: 4 } },
      ({ progress }) => steps.push(progress),
    );
    // The clients drop progress that arrives in one chunk with the result, so the last may be missing.
    expect(steps.slice(0, 3)).toEqual([1, 2, 3]);
  });

  it("sees native tools after opening a toolbox, and calls them by name", async () => {
    const { client, folder } = await connect(cleanup, how, "dynamic");
    await client.callTool("open_toolbox", { toolbox: "files" });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("files__filesystem__read_text_file");
    const result = await client.callTool("files__filesystem__read_text_file", {
      path: join(folder, "note.txt"),
    });
    expect(textIn(result)).toBe("a note");
    await client.callTool("close_toolbox", { toolbox: "files" });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain(
      "files__filesystem__read_text_file",
    );
  });

  it("leaves no process behind when it closes, even of a server that ignores everything", async () => {
    // The clients wait two seconds after the end of stdin, two more after SIGTERM, and then kill.
    const place = prepareWorkbench(
      cleanup,
      dev({ good: fixture(), stubborn: fixture("--ignore-eof", "--ignore-term") }),
    );
    const client = await how(place);
    await client.callTool("open_toolbox", { toolbox: "dev" });
    expect(place.servers()).toHaveLength(2);
    await client.close();
    await waitFor(() => place.servers().length === 0, GENEROUS_MS, "the servers to end");
    expect(place.servers()).toEqual([]);
  });
});
