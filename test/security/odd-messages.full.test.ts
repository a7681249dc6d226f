/**
 * Messages that are valid but unusual JSON-RPC: each is answered, and affects no one else. In the
 * full suite because it starts the program for each message; `test/e2e/bad-input.test.ts` sends
 * many to one program.
 */
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { type HttpClient } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { scriptServer } from "../support/script-server.ts";
import { type ServerEntry, dev } from "../support/servers.ts";
import { LINE_END } from "./fuzz/readers.ts";

const cleanup = perTest();
/** Too long for a JavaScript string. */
const STRANGE = { toString: 1, valueOf: 1 };

/** A server that answers each call with this; {ID} is the call's id. */
function saying(text: string): ServerEntry {
  const answer = JSON.stringify(`${text}\n`);
  return scriptServer(
    cleanup,
    `serve({ ...legacy({ tools: {} }), "tools/call": (params, id) =>
       void process.stdout.write(${answer}.replaceAll("{ID}", String(id))) });`,
  );
}

const eras: [string, (client: HttpClient, headers?: object) => Promise<string>][] = [
  [
    "modern",
    async (client, headers = {}) => {
      const params = useToolParams("dev/fx/hello", {});
      return (await client.modern("tools/call", params, { headers: { ...headers } }).done()).text;
    },
  ],
  [
    "legacy",
    async (client, headers = {}) => {
      await client.initialize();
      const params = useToolParams("dev/fx/hello", {});
      return (await client.request("tools/call", params, { headers: { ...headers } }).done()).text;
    },
  ],
];

describe.each(eras)("a server's response to a %s client over HTTP", (era, call) => {
  const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
  it.each([
    ["a code that is a property of every object", '{"code":"toString","message":"m"}', "toString"],
    ["__proto__ for a code", '{"code":"__proto__","message":"m"}', "__proto__"],
    ["deep data", `{"code":-32000,"message":"m","data":${deep}}`, "levels deep"],
    ["many elements", `{"code":1,"message":"m","data":[${"1,".repeat(600_000)}1]}`, "elements"],
    ["much that is no JSON", `{"code":1,"message":"${"x".repeat(20_000)}","data":,}`, "not JSON"],
  ])("is answered, even if its error has %s", async (_what, error, expected) => {
    const fx = saying(`{"jsonrpc":"2.0","id":{ID},"error":${error}}`);
    const workbench = await startHttpWorkbench(cleanup, dev({ fx }));
    expect(await call(workbench.client())).toContain(expected);
  });

  it.each([
    ["small", ""],
    ["large", `,"p":"\v\f\u001c${"x".repeat(20_000)}"`],
  ])("is one line of an event stream to any reader (%s)", async (_size, more) => {
    const forged = '\u2028\u2028data: {"jsonrpc":"2.0","id":4242,"result":{}}\u2028\u2028\u0085';
    const result = `{"content":[],"a":${JSON.stringify(forged)}${more}}`;
    const fx = saying(`{"jsonrpc":"2.0","id":{ID},"result":${result}}`);
    const workbench = await startHttpWorkbench(cleanup, dev({ fx }));
    const text = await call(workbench.client(), { accept: "text/event-stream" });
    const lines = text.split(LINE_END).filter((line) => line !== "" && line !== ":");
    const id: unknown = expect.stringMatching(/^id: [\w-]+$/);
    const message: unknown = expect.stringMatching(/^data: \{"jsonrpc":"2\.0".*\}$/);
    expect(lines).toEqual(era === "legacy" ? [id, message] : [message]);
  });
});

describe("a list", () => {
  const listing = (): ServerEntry =>
    scriptServer(
      cleanup,
      `serve({
         ...legacy({ tools: {}, prompts: {}, resources: {} }),
         "prompts/list": () => ({ prompts: [${JSON.stringify({ name: STRANGE })}, { name: "p" }] }),
         "resources/list": () => ({ resources: [{ uri: ${JSON.stringify(STRANGE)} }, { uri: "f:///r" }] }),
         "resources/templates/list": () =>
           ({ resourceTemplates: [{ uriTemplate: ${JSON.stringify(STRANGE)} }, { uriTemplate: "f:///{t}" }] }),
       });`,
    );

  it("lacks only an item without a valid name, and nothing else of any server", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: listing(), other: listing() }));
    const client = workbench.client();
    const lists: [string, string[]][] = [
      ["prompts/list", ["dev__fx__p", "dev__other__p"]],
      ["resources/list", ["workbench://dev/fx/f:///r", "workbench://dev/other/f:///r"]],
      [
        "resources/templates/list",
        ["workbench://dev/fx/f:///{t}", "workbench://dev/other/f:///{t}"],
      ],
    ];
    for (const [method, names] of lists) {
      const { text } = await client.modern(method).done();
      for (const name of names) expect(text).toContain(`"${name}"`);
      expect(text).not.toContain("valueOf");
    }
  });
});

describe("a client's request over HTTP", () => {
  it.each(["/mcp", "/mcp/dev", "/mcp/dev/fx"])(
    "is refused under its id if the name of the tool is none, at %s",
    async (path) => {
      const fx = { ...saying(""), toolFilters: ["hello"] };
      const client = (await startHttpWorkbench(cleanup, dev({ fx }))).client(path);
      await client.initialize();
      for (const name of [STRANGE, ["hello"], 7, undefined]) {
        const id = client.nextId();
        const { text } = await client.request("tools/call", { name }, { id }).done();
        expect(JSON.parse(text)).toEqual({
          jsonrpc: "2.0",
          id,
          error: { code: -32602, message: "name: Required (expected string)" },
        });
      }
    },
  );

  it("may use any progress token", async () => {
    const client = (await startHttpWorkbench(cleanup, dev({ fx: saying("") }))).client();
    await client.initialize();
    const { status } = await client.notify("notifications/progress", { progressToken: STRANGE });
    expect(status).toBe(202);
  });
});
