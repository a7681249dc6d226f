import { describe, expect, it } from "vitest";

import { requestIn } from "../../../test/support/fake-client.ts";
import { Line } from "../../wire/lines.ts";
import { readServerLine } from "../../wire/response.ts";
import { misfitOf } from "../../workbench/meta-tools/misfit-note.ts";
import { explainMisfit } from "./explain-misfit.ts";

const value = {
  name: "sum",
  inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
};

/** The texts of an answer to a call without arguments, after the explanation. */
async function explained(text: string): Promise<string[]> {
  const answer = {
    jsonrpc: "2.0",
    id: 1,
    result: { content: [{ type: "text", text }], isError: true },
  };
  const read = readServerLine(Line.of(JSON.stringify(answer)));
  if (read.kind !== "answer") throw new Error("not an answer");
  const tool = { toolbox: "t", server: "s", name: "sum" };
  const params = { name: "use_tool", arguments: { tool, arguments: {} } };
  const request = requestIn(
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  );
  const called = { request, tool: { nameJson: '"sum"', value }, response: read.response };
  const { result } = (await explainMisfit(called)).parse() as {
    result: { content: { text: string }[] };
  };
  return result.content.map((block) => block.text);
}

describe("wrong arguments", () => {
  const note = misfitOf(value, {})?.note ?? "";

  it("are explained if the server does not do that", async () => {
    expect(note).toContain("a: Required (number)");
    expect(await explained("no")).toEqual(["no", note]);
  });

  it("are not explained again if the answer says what is wrong", async () => {
    expect(await explained(`Invalid parameters: ${note}`)).toEqual([`Invalid parameters: ${note}`]);
  });
});
