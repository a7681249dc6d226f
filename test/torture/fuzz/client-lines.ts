import type { Disposables } from "../../support/disposables.ts";
import { Ledger } from "./ledger.ts";
import type { Message } from "../../support/raw-client.ts";
import { Pipe } from "./pipe.ts";
import { BUSY_MACHINE_MS, type Program } from "../program.ts";
import { fuzzPlace, INITIALIZE, MAX_LINE_BYTES, type Target } from "./target.ts";

/** Lines of a client over stdio: every request is answered once, and nothing else is. */
export function clientLines(disposables: Disposables, program: Program): Target {
  const ledger = new Ledger();
  const pipe: Pipe = new Pipe(fuzzPlace(disposables, program), (message) => received(message));
  disposables.defer(() => pipe.kill());
  pipe.readMessages();
  let batches = 0;
  let lastId = "";
  const received = ({ id, method }: Message): void => {
    if (method !== undefined) return;
    if (typeof id === "string" && /^(greeting|sentinel-\d+)$/.test(id)) {
      lastId = id;
      return;
    }
    const problem = ledger.received(id);
    if (problem !== undefined) pipe.blame(`I4 ${problem}`);
  };
  pipe.write(`${INITIALIZE}\n`);
  const note = (input: Buffer): void => {
    for (let start = 0; start <= input.length;) {
      const found = input.indexOf(10, start);
      const end = found < 0 ? input.length : found;
      if (end - start <= MAX_LINE_BYTES) ledger.sent(input.toString("utf8", start, end));
      start = end + 1;
    }
  };
  return {
    async feed(inputs) {
      for (const input of inputs) note(input);
      pipe.write(Buffer.concat(inputs.flatMap((input) => [input, NEWLINE])));
      const sentinel = `sentinel-${++batches}`;
      pipe.write(`{"jsonrpc":"2.0","id":"${sentinel}","method":"ping"}\n`);
      await pipe.until(
        () => lastId === sentinel,
        // Every program answers it, so this only says how busy the machine is.
        BUSY_MACHINE_MS,
        () => "I1 no answer to ping",
      );
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

const NEWLINE = Buffer.from("\n");
