import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

const YES = { name: "yes", short: "y", summary: "Do not ask; required without a terminal" };

/** Commands that answer questions about calls. */
export const APPROVAL_COMMANDS: readonly Command[] = [
  {
    name: "approvals",
    summary: "Show the calls that wait for your approval, and what is always allowed",
    usage: ["approvals [--watch]"],
    details:
      "A call that a `policy` asks about waits for your answer. Clients that can show forms ask you; otherwise answer here with `approve` and `deny`. While `approvals --watch` runs, calls of all clients wait for an answer instead of failing at once. Tools that you always allowed are listed, too; `deny ID` takes that back.",
    takes: [0, 0],
    options: [{ name: "watch", summary: "Keep running, and show new ones as they arrive" }, CONFIG],
    examples: [
      { command: "approvals", explanation: "What waits" },
      { command: "approvals --watch", explanation: "Stay and see new ones" },
    ],
    json: [
      [
        "approvals",
        "`id`, `client`, `toolbox`, `server`, `tool`, `arguments`, `reason`, `createdAt`, `expiresAt` of each; with --watch one object on each line",
      ],
      ["always", "`id`, `client`, `toolbox`, `server`, `tool`, `sameArgumentsOnly` of each"],
    ],
    jsonLines: true,
    load: async () => (await import("./approvals-bundle.ts")).approvals,
  },
  {
    name: "approve",
    summary: "Allow a call that waits for your approval",
    usage: ["approve ID [--session | --always]"],
    details:
      "Exactly this call passes once: same client, tool and arguments. If it has already failed, it passes when it is made again. With --session the tool is allowed until the client disconnects, with --always until its definition or the policy changes.",
    takes: [1, 1],
    options: [
      { name: "session", summary: "Allow the tool until the client disconnects" },
      { name: "always", summary: "Allow the tool until it or the policy changes" },
      YES,
      CONFIG,
    ],
    examples: [{ command: "approve K7M2XQ", explanation: "Once" }],
    json: [["id, tool, decision", "the question and its answer; an earlier answer counts"]],
    finishesUnread: true,
    load: async () => (await import("./approvals-bundle.ts")).approve,
  },
  {
    name: "deny",
    summary: "Deny a call that waits for your approval",
    usage: ["deny ID"],
    details:
      "With the id of a tool that is always allowed (see `approvals`), you are asked about it again.",
    takes: [1, 1],
    options: [YES, CONFIG],
    examples: [{ command: "deny K7M2XQ", explanation: "It fails, also if it is repeated soon" }],
    json: [["id, tool, decision", "the question and its answer; an earlier answer counts"]],
    finishesUnread: true,
    load: async () => (await import("./approvals-bundle.ts")).deny,
  },
  {
    name: "decide",
    summary: "Answer a client that asks whether to allow a call",
    usage: ["decide --hook claude-code [--name NAME] [--config FILE]"],
    details:
      "For hooks of clients: reads the input of a PreToolUse hook of Claude Code on standard input, and answers what the `policy` says about the tool behind `use_tool` or `read_tool`: `deny`, `ask`, or `allow` if a rule allows it. It starts no server. It prints nothing, and Claude Code decides as usual, if no rule is about the call, the tool is not known, or anything goes wrong.",
    takes: [0, 0],
    options: [
      {
        name: "hook",
        value: "CLIENT",
        summary: "The client that asks: claude-code",
        completes: ["claude-code"],
      },
      {
        name: "name",
        value: "NAME",
        summary: "Name of the workbench's entry in the client's file (default workbench)",
      },
      CONFIG,
    ],
    examples: [
      { command: "decide --hook claude-code", explanation: "The command of a PreToolUse hook" },
    ],
    json: [["hookSpecificOutput", "the answer, in the format of the client; also without --json"]],
    load: async () => (await import("./decide-bundle.ts")).decide,
  },
];
