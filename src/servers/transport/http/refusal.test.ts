import { describe, expect, it } from "vitest";

import { Call } from "../../../calls/call.ts";
import { type Refusal, answerIn, isLostSession } from "./refusal.ts";

const call = new Call(undefined as never, "workbench", "tools/call", "", undefined);
call.id = 7;

function refusal(status: number, id?: unknown, code = -32000, message = ""): Refusal {
  const text = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
  return { status, rpc: { text, id, code, message }, words: message };
}

function plain(status: number, words = ""): Refusal {
  return { status, rpc: undefined, words };
}

describe("answerIn", () => {
  it.each([
    [refusal(400, 7), true],
    [refusal(404, 7), true],
    [refusal(500, 7), true],
    [refusal(400, null), true],
    [refusal(404), true],
    [refusal(500, null), false],
    [refusal(400, 8), false],
    [refusal(401, 7), false],
    [refusal(403, null), false],
    [refusal(429, 7), false],
    [plain(400), false],
  ])("accepts the HTTP refusal %j as the answer to the call: %s", (given, expected) => {
    const answer = answerIn(given, call);
    const id = answer && (JSON.parse(answer.text) as { id: unknown }).id;
    expect(id).toBe(expected ? 7 : undefined);
  });
});

describe("isLostSession", () => {
  it.each([
    [plain(404), true],
    [plain(410), true],
    [plain(400, "No transport found for sessionId"), true],
    [plain(500, "Session lost"), false],
    [refusal(404, null, -32001, "Session not found"), true],
    [refusal(404, 7, -32601, "Method not found"), false],
    [refusal(400, null, -32000, "Bad Request: No valid session ID provided"), true],
    [refusal(400, null, -32000, "Bad Request: Server not initialized"), true],
    [refusal(400, 7, -32602, "Invalid params"), false],
    [plain(400), false],
    [refusal(500, null, -32603, "Session lost"), false],
  ])("treats the HTTP refusal %j as a lost session: %s", (given, expected) => {
    expect(isLostSession(given)).toBe(expected);
  });
});
