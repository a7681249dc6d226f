import { EXIT, workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { pause } from "../core/pause.ts";
import type { Output } from "../output/output.ts";
import { fitStatus, renderStatus } from "./render-status.ts";
import { type RunningWorkbenches, runningWorkbenches } from "./running-workbenches.ts";

const WATCH_MS = 1000;
const CLEAR_SCREEN = "\u001b[H\u001b[2J\u001b[3J";

/** `mcp-workbench status`: all running workbenches of this user, including those that clients started. */
export async function status(context: Context): Promise<number> {
  const { args, out } = context;
  if (args.flag("watch")) return watch(context);
  const found = await runningWorkbenches();
  reportSilent(found, out);
  out.document(found.running);
  const text = textOf(found, ({ running }) =>
    running.map((one) => renderStatus(one, out.tableWidth)).join("\n"),
  );
  if (text !== "") out.print(text);
  return EXIT.ok;
}

const NOTHING =
  "No workbench is running. Clients start one, or you do: mcp-workbench serve --http 7333";

/** The rows of a terminal for the line about Ctrl-C, with a blank one above and the cursor below. */
const FOOTER_ROWS = 3;

function textOf(found: RunningWorkbenches, render: (found: RunningWorkbenches) => string): string {
  if (found.running.length > 0) return render(found);
  return found.silent.length === 0 ? NOTHING : "";
}

function reportSilent({ silent }: RunningWorkbenches, out: Output): void {
  for (const pid of silent)
    out.warn(`The workbench with pid ${pid} does not respond; it may be suspended or very busy`);
}

/** Shows the status again and again: in a terminal in place, elsewhere whenever it has changed. */
async function watch({ out, signal, endsOnSignal }: Context): Promise<number> {
  if (out.json) throw workbenchError("USAGE", { reason: "--watch and --json cannot be combined" });
  endsOnSignal();
  let shown = "";
  while (!signal.aborted) {
    const found = await runningWorkbenches();
    const rows = (out.isTerminal && process.stdout.rows) || Infinity;
    const text = textOf(found, ({ running }) =>
      fitStatus(running, out.tableWidth, rows - FOOTER_ROWS),
    );
    if (out.isTerminal) {
      out.printRaw(CLEAR_SCREEN);
      out.print(text);
      out.print(out.style.dim("\nUpdated every second. Press Ctrl-C to stop."));
    } else if (withoutClock(text) !== shown) {
      out.print(text);
      shown = withoutClock(text);
    }
    reportSilent(found, out);
    await pause(WATCH_MS, signal);
  }
  return EXIT.ok;
}

/** The time a workbench has been running always changes. */
function withoutClock(text: string): string {
  return text.replace(/, up \d+ s/g, "");
}
