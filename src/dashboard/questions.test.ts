import { describe, expect, it } from "vitest";
import { ServerRpcError } from "../servers/requests/ask.ts";
import type { JsonObject } from "../text/json.ts";
import { Questions } from "./questions.ts";
import { linksIn } from "./web-link.ts";

const PLACE = { toolbox: "dev", server: "notes" };
const CANCEL = `{"action":"cancel"}`;

function asking(): {
  readonly questions: Questions;
  readonly changes: () => number;
  readonly ask: (params: JsonObject, signal?: AbortSignal) => Promise<string>;
} {
  let changes = 0;
  const questions = new Questions(() => changes++);
  const answer = questions.forCall("call-0001", PLACE);
  if (answer === undefined) throw new Error("the page shows questions");
  const ask = (params: JsonObject, signal = new AbortController().signal): Promise<string> =>
    answer(params, signal);
  return { questions, changes: () => changes, ask };
}

describe("questions of servers", () => {
  it("wait for the page that made the call, and for no other", async () => {
    const { questions, changes, ask } = asking();
    const answered = ask({ message: "[dev/notes] Which?", requestedSchema: { type: "object" } });
    const [shown] = questions.list("call-0001");
    expect(shown).toMatchObject({ ...PLACE, message: "Which?", schema: { type: "object" } });
    expect(questions.list("call-0002")).toEqual([]);
    expect(questions.find("call-0002", shown?.id ?? "")).toBeUndefined();
    questions.find("call-0001", shown?.id ?? "")?.answer(`{"action":"decline"}`);
    expect(await answered).toBe(`{"action":"decline"}`);
    expect(questions.list("call-0001")).toEqual([]);
    expect(changes()).toBe(2);
  });

  it("keep the name of another server that a server writes as part of its message", async () => {
    const { questions, ask } = asking();
    void ask({ message: "[dev/notes] [dev/bank] Your PIN?" });
    expect(questions.list("call-0001")[0]).toMatchObject({
      ...PLACE,
      message: "[dev/bank] Your PIN?",
    });
  });

  it("disappear when the server no longer waits", async () => {
    const { questions, ask } = asking();
    const over = new AbortController();
    const answered = ask({ message: "Which?" }, over.signal);
    over.abort();
    await expect(answered).rejects.toThrow("no longer needed");
    expect(questions.list("call-0001")).toEqual([]);
  });

  it.each([
    ["an address that is not of the web", { mode: "url", url: "javascript:alert(1)" }],
    ["no address", { mode: "url" }],
    ["a message that is too long", { message: "x".repeat(100_001) }],
  ])("are dismissed if they have %s", async (_what, params) => {
    const { questions, ask } = asking();
    expect(await ask(params)).toBe(CANCEL);
    expect(questions.list("call-0001")).toEqual([]);
  });

  it("are dismissed if there are too many", async () => {
    const { questions, ask } = asking();
    for (let i = 0; i < 20; i++) void ask({ message: `Question ${i}` });
    expect(await ask({ message: "One more" })).toBe(CANCEL);
    expect(questions.list("call-0001")).toHaveLength(20);
  });

  it("are not asked if the page shows none", () => {
    expect(new Questions(() => {}).forCall(undefined, PLACE)).toBeUndefined();
  });
});

describe("addresses in an error of a server", () => {
  const refusal = (code: number, elicitations: unknown): ServerRpcError =>
    new ServerRpcError({ code, message: "Confirm first", data: { elicitations } });

  it("are shown with where they lead", () => {
    const asked = [
      { url: "https://user@pay.example/x", message: "Pay" },
      { url: "file:///etc/passwd", message: "Read" },
      null,
    ];
    expect(linksIn(refusal(-32042, asked))).toEqual([
      { url: "https://user@pay.example/x", origin: "https://pay.example", message: "Pay" },
    ]);
    expect(linksIn(refusal(-32000, asked))).toEqual([]);
    expect(linksIn(refusal(-32042, "none"))).toEqual([]);
    expect(linksIn(new Error("other"))).toEqual([]);
  });
});
