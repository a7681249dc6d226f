/** What is added to the answer of a call that failed because of its arguments, and what is not. */
import { beforeAll, describe, expect, it } from "vitest";
import {
  callTool,
  openToolbox,
  resultOf,
  textOf,
  useTool,
  useToolParams,
} from "../support/calls.ts";
import { MODERN_META } from "../support/channel-client.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { memberText } from "../support/json-text.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const FAILED =
  '{ "content": [ {"type":"text","text":"b\\u0061d"} ] ,"structuredContent":{"n":12345678901234567890,"x":1.0,"isError":true}, "isError" : true,"x-more":[1]}';
const NOTE =
  "The arguments do not match raw(json: string): jsn: Unknown argument. Did you mean 'json'?";
const BLOCK = `,${JSON.stringify({ type: "text", text: NOTE })}`;

describe("the answer to a use_tool call that failed", () => {
  const cleanup = perBlock();
  let client: RawClient;
  beforeAll(async () => {
    ({ client } = await startWorkbench(cleanup, dev({ fx: fixture() })));
  });

  const answer = async (args: unknown, tool = "raw"): Promise<string> =>
    (await useTool(client, `dev/fx/${tool}`, args)).line;

  it("ends with the signature if the arguments do not match it; all else is untouched", async () => {
    const line = await answer({ json: FAILED, jsn: 1 });
    expect(memberText(line, "result")).toBe(FAILED.replace(" ]", ` ${BLOCK}]`));
  });

  it.each([
    ["first", '{"isError":true,"content":[{"type":"text","text":"X"}]}'],
    ["last", '{"content":[{"type":"text","text":"X"}],"isError":true}'],
  ])("is recognised if it is long and isError is %s", async (_where, short) => {
    const json = short.replace("X", "long ".repeat(1000));
    const line = await answer({ json, jsn: 1 });
    expect(memberText(line, "result")).toBe(json.replace("]", `${BLOCK}]`));
  });

  it("gets a first block if it has none", async () => {
    const line = await answer({ json: '{"content":[],"isError":true}', jsn: 1 });
    expect(memberText(line, "result")).toBe(`{"content":[${BLOCK.slice(1)}],"isError":true}`);
  });

  it.each([
    ["the arguments match", FAILED, {}],
    ["the call succeeded", '{"content":[{"type":"text","text":"ok"}]}', { jsn: 1 }],
    ["the call says that it succeeded", '{"content":[],"isError":false}', { jsn: 1 }],
    [
      "only a value inside says that it failed",
      '{"content":[],"structuredContent":{"isError":true}}',
      { jsn: 1 },
    ],
    ["there is no content", '{"structuredContent":{},"isError":true}', { jsn: 1 }],
    ["the content is not a list", '{"content":"x","isError":true}', { jsn: 1 }],
  ])("is untouched if %s", async (_what, json, more) => {
    expect(memberText(await answer({ json, ...more }), "result")).toBe(json);
  });

  it("has the signature after its message if it is an error about parameters", async () => {
    const json =
      '{"code":-32602, "message":"no \\u201cid\\u201d","data":{"n":12345678901234567890}}';
    const line = await answer({ json, jsn: 1 }, "fail");
    const error = memberText(line, "error") ?? "";
    const { message } = JSON.parse(error) as { message: string };
    expect(message).toMatch(/^no “id”\nThe arguments do not match fail\(.*Did you mean 'json'\?$/);
    expect(memberText(error, "data")).toBe('{"n":12345678901234567890}');
    expect(memberText(error, "code")).toBe("-32602");
  });

  it("is unchanged if it is a different error, or if the arguments match", async () => {
    const other = '{"code":-32603,"message":"broken"}';
    expect(memberText(await answer({ json: other, jsn: 1 }, "fail"), "error")).toBe(other);
    const same = '{"code":-32602,"message":"broken"}';
    expect(memberText(await answer({ json: same }, "fail"), "error")).toBe(same);
  });

  it("ends with the signature for a modern client, too", async () => {
    const params = useToolParams("dev/fx/raw", { json: FAILED, jsn: 1 }, MODERN_META);
    const { content } = resultOf(await client.request("tools/call", params));
    expect(content.map(({ text }) => text)).toEqual(["bad", NOTE]);
  });

  it("does not delay or change other calls", async () => {
    const [failed, fine] = await Promise.all([
      useTool(client, "dev/fx/raw", { json: FAILED, jsn: 1 }),
      useTool(client, "dev/fx/echo", { text: "fine" }),
    ]);
    expect(resultOf(failed).content).toHaveLength(2);
    expect(textOf(fine)).toBe("fine");
  });
});

describe("the answer to a use_tool call that failed", () => {
  const cleanup = perTest();

  it("arrives although the client has ended its input", async () => {
    // The server has yet to be started, which the end of the input leaves this much time for.
    const config = dev({ fx: fixture() }, { timeouts: { shutdownMs: GENEROUS_MS } });
    const { client, stop } = await startWorkbench(cleanup, config);
    const answer = useTool(client, "dev/fx/raw", { json: FAILED, jsn: 1 });
    await stop();
    expect(resultOf(await answer).content.at(-1)?.text).toBe(NOTE);
  });
});

describe("the answer to a call that failed, without use_tool", () => {
  const cleanup = perTest();

  it("is untouched in the view of one server", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }), {
      args: ["serve", "--server", "dev/fx"],
    });
    const { line } = await callTool(client, "raw", { json: FAILED, jsn: 1 });
    expect(memberText(line, "result")).toBe(FAILED);
  });

  it("is untouched for native tools", async () => {
    const { client } = await startWorkbench(
      cleanup,
      dev({ fx: fixture() }, { toolMode: "dynamic" }),
    );
    await openToolbox(client, "dev");
    const { line } = await callTool(client, "dev__fx__raw", { json: FAILED, jsn: 1 });
    expect(memberText(line, "result")).toBe(FAILED);
  });
});
