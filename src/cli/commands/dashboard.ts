import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

export const DASHBOARD: Command = {
  name: "dashboard",
  summary: "Open the dashboard of a running workbench in the browser",
  usage: ["dashboard [--no-browser]", "dashboard confirm ID"],
  details:
    "Shows servers, calls, tools, approvals, approved definitions, access tokens, logs, saved tokens and the configuration of a running workbench: one that you started with `serve --http`, or the one that clients share (`serve --shared`). The link works once and for a minute; only programs of your user can get one. A change to the configuration that was made in the dashboard and would start or reach something new is made by `dashboard confirm ID`, after you have seen it here.",
  takes: [0, 2],
  completes: ["confirm"],
  options: [
    CONFIG,
    { name: "no-browser", summary: "Only print the link" },
    { name: "yes", short: "y", summary: "Do not ask; required for `confirm` without a terminal" },
  ],
  examples: [
    { command: "dashboard", explanation: "Open it" },
    { command: "dashboard --no-browser", explanation: "Print the link, for example over SSH" },
    { command: "dashboard confirm K7M2XQ", explanation: "Make a change from the dashboard" },
  ],
  json: [
    ["link, pid, config, opened", "the link, the workbench, and whether the browser was opened"],
    ["file, changed, diff, backup", "of `confirm`: what was changed"],
  ],
  finishesUnread: true,
  load: async () => (await import("./dashboard-bundle.ts")).dashboard,
};
