/**
 * Where the eras differ, or a server disappears, neither side is left with half an exchange. In the full
 * suite because each case starts several programs; fidelity.test.ts and fidelity-raw.test.ts are in `npm test`.
 */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FORM_ANSWER, ROOTS_ANSWER, URL_ANSWER } from "../support/clients/matrix-client.ts";
import { EraClient as RawClient } from "../support/clients/era-client.ts";
import { failureOf, resultOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { messagesIn } from "../support/http-client.ts";
import { killIfAlive } from "../support/proc.ts";
import { type ServerEntry, dev, fixture } from "../support/servers.ts";
import { prepareWorkbench, startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const BYTES = fileURLToPath(new URL("../fixtures/bytes-server.mjs", import.meta.url));
const bytes = (era: "legacy" | "modern"): ServerEntry => ({
  command: process.execPath,
  args: [BYTES, "--era", era],
});
const CAPABILITIES = { sampling: {}, elicitation: {} };
const never = (): Promise<never> => new Promise(() => {});

describe("a request of a server that has died", () => {
  it("is cancelled at the client before the call fails", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }), {
      capabilities: CAPABILITIES,
      responders: { "elicitation/create": never },
    });
    const call = useTool(client, "dev/fx/elicit", {});
    const question = await client.when(() => client.serverRequests[0], "the question");
    const crash = useTool(client, "dev/fx/crash", {});
    expect(failureOf(await call)).toContain("crashing as asked");
    await crash;
    const [cancelled] = client.notificationsOf("notifications/cancelled");
    expect(cancelled?.params).toMatchObject({ requestId: question.id });
    expect(cancelled?.index).toBeLessThan((await call).index);
  });

  it("is cancelled over HTTP on the stream on which it was sent", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }));
    const client = workbench.client();
    await client.initialize("2025-11-25", CAPABILITIES);
    const tool = (name: string) => ({
      name: "use_tool",
      arguments: { tool: { toolbox: "dev", server: "fx", name } },
    });
    const call = client.request("tools/call", tool("elicit"));
    const { id } = await call.method("elicitation/create");
    await client.request("tools/call", tool("crash")).done();
    const messages = messagesIn((await call.done()).text);
    expect(messages.map(({ method }) => method)).toEqual([
      "elicitation/create",
      "notifications/cancelled",
      undefined,
    ]);
    expect(messages[1]?.params).toMatchObject({ requestId: id });
  });
});

it("an answer reaches a modern server even if it was restarted in the meantime", async () => {
  let answer: (value: unknown) => void = () => {};
  const workbench = await startWorkbench(cleanup, dev({ fx: bytes("modern") }), {
    capabilities: CAPABILITIES,
    responders: { "sampling/createMessage": () => new Promise((resolve) => (answer = resolve)) },
  });
  const { client } = workbench;
  const call = useTool(client, "dev/fx/ask", { json: '{"messages":[],"maxTokens":1}' });
  await client.when(() => client.serverRequests[0], "the question");
  for (const { pid } of workbench.servers()) killIfAlive(pid);
  await client.when(() => client.stderr.includes("server failed"), "the end of the server");
  answer({ role: "assistant", model: "m", content: { type: "text", text: "yes" } });
  expect(JSON.stringify(resultOf(await call))).toContain(String.raw`\"text\":\"yes\"`);
});

describe("a workbench behind a workbench", () => {
  const DUAL = fileURLToPath(new URL("../fidelity/servers/dual-era.mjs", import.meta.url));

  it.each(["legacy", "modern"] as const)(
    "passes the questions of a legacy server on to a %s client, and the answers back",
    async (era) => {
      const server = { command: process.execPath, args: [DUAL], protocol: "2025-11-25" };
      const { command, args, env } = prepareWorkbench(cleanup, dev({ fx: server }));
      const outer = prepareWorkbench(cleanup, dev({ wb: { command, args, env } }));
      const endpoint = { ...outer, transport: "stdio", cwd: outer.dir } as const;
      const client = await RawClient.connect(endpoint, era);
      cleanup.defer(() => client.close());
      const useTool = (server: string, name: string, given: object) => ({
        name: "use_tool",
        arguments: { tool: { toolbox: "dev", server, name }, arguments: given },
      });
      const inner = useTool("fx", "ask_many", {});
      const { content } = await client.request(
        "tools/call",
        useTool("wb", inner.name, inner.arguments),
      );
      expect(JSON.parse((content as { text: string }[])[0]?.text ?? "")).toEqual({
        form: FORM_ANSWER,
        url: URL_ANSWER,
        roots: ROOTS_ANSWER,
        state: "three at once",
      });
      const uri = "workbench://dev/wb/workbench://dev/fx/fixture://ask/form";
      const { contents } = await client.request("resources/read", { uri });
      expect(contents).toMatchObject([{ text: JSON.stringify(FORM_ANSWER) }]);
      const prompt = { name: "dev__wb__dev__fx__ask", arguments: { what: "form" } };
      const { messages } = await client.request("prompts/get", prompt);
      expect(messages).toMatchObject([{ content: { text: JSON.stringify(FORM_ANSWER) } }]);
    },
  );
});

describe("the error of a legacy server for an unknown resource", () => {
  const error = '{"message":"Gone","code":-32002,"data":{"uri":"bytes://x","n":1.0}}';
  const uri = `workbench://dev/fx/bytes://fail/${Buffer.from(error).toString("base64url")}`;

  it("reaches a legacy client as the server wrote it", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: bytes("legacy") }));
    const { line } = await client.request("resources/read", { uri });
    expect(line).toContain(`"error":${error}`);
  });

  it("reaches a modern client with the code of its era, and otherwise as the server wrote it", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: bytes("legacy") }));
    const { text } = await workbench.client().modern("resources/read", { uri }).done();
    expect(text).toContain(`"error":${error.replace("-32002", "-32602")}`);
  });

  it("keeps its code when it comes from another method", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: bytes("legacy") }));
    const tool = { toolbox: "dev", server: "fx", name: "fail" };
    const params = { name: "use_tool", arguments: { tool, arguments: { json: error } } };
    const { text } = await workbench.client().modern("tools/call", params).done();
    expect(text).toContain(`"error":${error}`);
  });
});
