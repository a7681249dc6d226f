import type { Disposables } from "../../support/disposables.ts";
import { Ledger } from "./ledger.ts";
import type { Message } from "../../support/raw-client.ts";
import { Pipe } from "./pipe.ts";
import type { Program } from "../program.ts";
import { fuzzPlace, INITIALIZE, type Target } from "./target.ts";

/** So many inputs are written by the server during one call. */
const INPUTS_PER_CALL = 25;

/**
 * Lines of a server over stdio: whatever it writes, each call gets one answer, and another server
 * is not affected.
 */
export function serverLines(disposables: Disposables, program: Program): Target {
  const ledger = new Ledger();
  const echoed = new Map<unknown, string>();
  const pipe: Pipe = new Pipe(fuzzPlace(disposables, program), (message) => received(message));
  disposables.defer(() => pipe.kill());
  pipe.readMessages();
  let lastId = 0;
  const received = (message: Message): void => {
    const { id, method } = message;
    if (method !== undefined) {
      if (id !== undefined) refuse(id);
      return;
    }
    const problem = ledger.received(id);
    if (problem !== undefined) pipe.blame(`I4 ${problem}`);
    const expected = echoed.get(id);
    echoed.delete(id);
    if (expected !== undefined && !JSON.stringify(message).includes(expected))
      pipe.blame(`another server answered ${JSON.stringify(message).slice(0, 300)}`);
  };
  const send = (line: string): void => {
    ledger.sent(line);
    pipe.write(`${line}\n`);
  };
  const refuse = (id: unknown): void =>
    pipe.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } })}\n`,
    );
  const call = (toolbox: string, server: string, name: string, args: object): number => {
    const id = ++lastId;
    const input = { tool: { toolbox, server, name }, arguments: args };
    const params = { name: "use_tool", arguments: input };
    send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    return id;
  };
  send(INITIALIZE);
  return {
    async feed(inputs) {
      for (let at = 0; at < inputs.length; at += INPUTS_PER_CALL) {
        const some = inputs.slice(at, at + INPUTS_PER_CALL);
        const bytes = Buffer.concat(some.flatMap((input) => [input, Buffer.from("\n")]));
        call("dev", "fuzzed", "feed", { bytes: bytes.toString("base64") });
      }
      const nonce = `nonce-${lastId}`;
      echoed.set(call("calm", "other", "echo", { text: nonce }), nonce);
      await pipe.until(
        () => ledger.unanswered.length === 0,
        program.answerMs,
        () => `I4 no answer to ${ledger.unanswered.slice(0, 5).join(", ")}`,
      );
      ledger.settle();
    },
    stop: () => pipe.end(),
  };
}
