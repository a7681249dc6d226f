import { describe, expect, it } from "vitest";

import { requestIn } from "../../../test/support/fake-client.ts";
import { ServerRequest, type RequestSender } from "../../calls/server-request.ts";
import type { ClientOutput } from "../client-output.ts";
import { SessionQuestions } from "./session-questions.ts";

/** A client that keeps what it is sent, and a server that keeps what it is answered. */
function scene() {
  const toClient: { message: Record<string, unknown>; about: string | undefined }[] = [];
  const send = (text: string, about: string | undefined): void =>
    void toClient.push({ message: JSON.parse(text) as Record<string, unknown>, about });
  const questions = new SessionQuestions({ send } as ClientOutput);
  const newServer = (): { from: RequestSender; answers: unknown[] } => {
    const answers: unknown[] = [];
    const place = { toolbox: "dev", server: "fx" };
    const toServer = (text: string): void => void answers.push(JSON.parse(text));
    return { from: { place, mayAsk: "duringCalls", send: toServer }, answers };
  };
  const ask = (from: RequestSender, id: number, about = "7"): void => {
    const text = `{"jsonrpc":"2.0","id":${id},"method":"roots/list","params":{"n":1.0}}`;
    questions.ask(new ServerRequest(requestIn(text), from), about);
  };
  return { questions, toClient, newServer, ask };
}

describe("requests from servers to a session", () => {
  it("reach the client with ids of the workbench, attributed to the call that caused them", () => {
    const { toClient, newServer, ask } = scene();
    const { from } = newServer();
    ask(from, 1, '"c"');
    ask(newServer().from, 1);
    expect(toClient.map(({ message, about }) => [message["id"], about])).toEqual([
      ["workbench-1", '"c"'],
      ["workbench-2", "7"],
    ]);
  });

  it("are answered to the server that sent them, with its own id", () => {
    const { questions, newServer, ask } = scene();
    const [a, b] = [newServer(), newServer()];
    ask(a.from, 5);
    ask(b.from, 5);
    questions.answered({ id: "workbench-2" }, '{"id":"workbench-2","result":{"roots":[]}}');
    expect([a.answers, b.answers]).toEqual([[], [{ id: 5, result: { roots: [] } }]]);
  });

  it("are answered once, and only by a response with their id", () => {
    const { questions, newServer, ask } = scene();
    const { from, answers } = newServer();
    ask(from, 5);
    for (const id of ["workbench-9", "workbench-1", "workbench-1", 1])
      questions.answered({ id }, JSON.stringify({ id, result: {} }));
    expect(answers).toEqual([{ id: 5, result: {} }]);
  });

  it("can be cancelled only by the server that sent them", () => {
    const { questions, toClient, newServer, ask } = scene();
    const [a, b] = [newServer(), newServer()];
    ask(a.from, 5);
    questions.withdraw(b.from, 5, "not mine");
    questions.withdraw(a.from, 6, "another");
    expect(toClient).toHaveLength(1);
    questions.withdraw(a.from, 5, "never mind");
    expect(toClient[1]?.message).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: "workbench-1", reason: "never mind" },
    });
    questions.answered({ id: "workbench-1" }, '{"id":"workbench-1","result":{}}');
    expect(a.answers).toEqual([]);
  });

  it("are refused when the client disconnects", () => {
    const { questions, newServer, ask } = scene();
    const { from, answers } = newServer();
    ask(from, 5);
    questions.close();
    questions.close();
    expect(answers).toMatchObject([{ id: 5, error: { message: "The client has disconnected" } }]);
  });
});
