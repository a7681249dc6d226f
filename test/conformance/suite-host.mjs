/**
 * Replaces the argument parser in the bundle of the suite, whose start takes longer than most of its scenarios:
 * its commands are run as messages ask for them, one after the other, in one process.
 */
import { Command, Option } from "../../node_modules/commander/esm.mjs";

export { Option };

/** Ends a command that calls `process.exit`. */
class Exit extends Error {}

class HostedCommand extends Command {
  createCommand(name) {
    return new HostedCommand(name);
  }

  /** Only the program itself is parsed. */
  parse() {
    process.on("message", (args) => void run(this, args));
    return this;
  }
}

export { HostedCommand as Command };

let output;
for (const stream of [process.stdout, process.stderr])
  stream.write = (text) => {
    output?.push(String(text));
    return true;
  };

async function run(program, args) {
  output = [];
  const finished = new Promise((resolve) => {
    process.exit = () => {
      resolve();
      throw new Exit();
    };
  });
  // A command either exits or returns.
  await Promise.race([finished, program.parseAsync(args, { from: "user" }).catch(report)]);
  process.send(output.join(""));
  output = undefined;
}

function report(error) {
  if (!(error instanceof Exit)) output.push(String(error?.stack ?? error));
}
