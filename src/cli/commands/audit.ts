import { AUDIT_OUTCOMES } from "../../audit/audit-outcomes.ts";
import type { Command } from "../core/command.ts";

/** The row of `audit`. */
export const AUDIT: Command = {
  name: "audit",
  summary: "Show, verify or export the log of all calls",
  usage: ["audit [--follow]", "audit verify", "audit export [--format jsonl|csv]"],
  details:
    "Shows the last entries of the audit log: who called what, when, and how it ended. Calls are recorded over HTTP by default, and everywhere if the configuration enables it (`audit`). `verify` finds entries that were changed or removed: it names the first one in each chain and exits with 1. `export` prints all entries in the order of time.",
  takes: [0, 1],
  completes: ["verify", "export"],
  options: [
    { name: "follow", short: "f", summary: "Continue with new entries until Ctrl-C" },
    { name: "lines", short: "n", value: "N", summary: "Number of entries (default 50)" },
    {
      name: "since",
      value: "WHEN",
      summary: "Only entries since a time such as 2026-11-17T08:00, or of the last 30m, 12h or 7d",
    },
    {
      name: "toolbox",
      value: "NAME",
      multiple: true,
      summary: "Only entries about this toolbox",
      completes: "toolbox",
    },
    {
      name: "server",
      value: "TOOLBOX/SERVER",
      multiple: true,
      summary: "Only entries about this server",
      completes: "server",
    },
    { name: "tool", value: "NAME", multiple: true, summary: "Only calls of this tool" },
    {
      name: "principal",
      value: "NAME",
      multiple: true,
      summary: "Only calls of this principal: stdio, owner, local or the name of a token",
    },
    {
      name: "outcome",
      value: "OUTCOME",
      multiple: true,
      summary: `Only calls that ended like this: ${AUDIT_OUTCOMES.join(", ")}`,
      completes: AUDIT_OUTCOMES,
    },
    {
      name: "format",
      value: "FORMAT",
      summary: "Format of the export: jsonl (default) or csv",
      completes: ["jsonl", "csv"],
    },
  ],
  examples: [
    { command: "audit --follow", explanation: "Watch what your agents do" },
    {
      command: "audit --since 7d --outcome denied --outcome error",
      explanation: "What did not work in the last week",
    },
    { command: "audit verify", explanation: "Check that nothing was changed" },
    { command: "audit export --format csv > calls.csv", explanation: "For a spreadsheet" },
  ],
  json: [
    ["v, run, seq, prev", "the format version, and the place of the entry in its chain"],
    [
      "time, event, method, id, parent, principal, client, session",
      "when the call ended, what it was and who made it",
    ],
    ["toolbox, server, tool, prompt, class, decision", "what it was about, and what was decided"],
    ["argsShape, argsHash, args", "what the setting `audit.arguments` records"],
    ["outcome, code, ms, bytesIn, bytesOut", "how it ended"],
    [
      "folder, isIntact, entries, chains",
      "of `verify`, one object; each chain has `run`, `files`, `entries`, `isShortened`, `last` (`seq`, `hash`) and `firstBreak` (`file`, `line`, `reason`; null if there is none)",
    ],
  ],
  jsonLines: true,
  load: async () => (await import("./observe-bundle.ts")).audit,
};
