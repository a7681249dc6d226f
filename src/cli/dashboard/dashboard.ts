import { EXIT, workbenchError } from "../../errors.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";
import { canOpenBrowser, openBrowser } from "../sign-in/browser.ts";
import { askForLink } from "./ask-for-link.ts";
import { confirmProposal } from "./confirm-proposal.ts";
import { findDashboard } from "./find-dashboard.ts";

/** `dashboard` and `dashboard confirm ID` */
export async function dashboard(context: Context): Promise<number> {
  const [action, id, ...others] = context.args.words;
  if (action === undefined) return open(context);
  if (action !== "confirm" || id === undefined || others.length > 0)
    throw workbenchError(
      "USAGE",
      { reason: `Unknown arguments: ${context.args.words.map(safeLine).join(" ")}` },
      "Usage: mcp-workbench dashboard, or mcp-workbench dashboard confirm ID",
    );
  return confirmProposal(context, id);
}

async function open(context: Context): Promise<number> {
  const { args, out, env } = context;
  const found = await findDashboard(context);
  const link = await askForLink(found);
  const mayOpen = !args.flag("no-browser") && canOpenBrowser(env, process.platform);
  const opened = mayOpen && (await openBrowser(link, env));
  const { pid, config } = found;
  out.document({ link, pid, config, opened });
  out.say(
    opened
      ? "Opened the dashboard in your browser. If it does not show up, open this link:"
      : "Open this link in a browser on this machine:",
  );
  out.print(link);
  out.say("It works once, within a minute.");
  return EXIT.ok;
}
