import type { Command, Option } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

export const DRY_RUN: Option = {
  name: "dry-run",
  summary: "Show what would change; change nothing and start nothing",
};

/** The `--json` keys of every command that edits the configuration. */
export const CHANGES = [
  ["file", "the file that was changed, or would be"],
  ["changed", "whether it was changed"],
  ["diff", "what changes, secrets masked"],
  ["backup", "the backup, or null"],
] as const;

const KEEPS =
  "Comments and formatting are kept, a backup is made, and a running workbench applies the change at once.";
const WHOLE_TOOLBOX: Option = {
  name: "toolbox",
  value: "NAME",
  summary: "A whole toolbox, if a server has the same name",
  completes: "toolbox",
};
const AFFECTED = ["servers", "`toolbox` and `server` of each"] as const;

/** Commands that change an existing configuration. */
export const CHANGE_COMMANDS: readonly Command[] = [
  {
    name: "move",
    summary: "Move servers to another toolbox",
    usage: ["move [TOOLBOX/]SERVER… TOOLBOX"],
    details: `The toolbox is created if it does not exist, and one that loses its last server is removed. Generated descriptions are updated. ${KEEPS}`,
    takes: [2, Number.MAX_SAFE_INTEGER],
    completes: "server",
    completesNext: "toolbox",
    options: [
      CONFIG,
      {
        name: "description",
        value: "TEXT",
        summary: "What a new toolbox is for; agents choose toolboxes by this text",
      },
      DRY_RUN,
    ],
    examples: [{ command: "move code/stripe business", explanation: "One server" }],
    json: [
      ...CHANGES,
      ["toolbox", "where they are now"],
      ["servers", "`from` (toolbox) and `server` of each"],
    ],
    load: async () => (await import("./setup-bundle.ts")).move,
  },
  {
    name: "rename",
    summary: "Rename a server or a toolbox",
    usage: ["rename [TOOLBOX/]SERVER NAME", "rename TOOLBOX NAME"],
    details: `Agents and scripts that use the old name must use the new one. ${KEEPS}`,
    takes: [1, 2],
    completes: "server",
    options: [
      CONFIG,
      {
        name: "toolbox",
        value: "NAME",
        summary: "Toolbox of the server; with only a new NAME, the toolbox to rename",
        completes: "toolbox",
      },
      DRY_RUN,
    ],
    examples: [
      { command: "rename code/github-cursor github-work", explanation: "A server" },
      { command: "rename knowledge files", explanation: "A toolbox" },
    ],
    json: [
      ...CHANGES,
      ["toolbox", "where"],
      ["server", "its old name; null for the toolbox"],
      ["name", "the new name"],
    ],
    load: async () => (await import("./setup-bundle.ts")).rename,
  },
  {
    name: "disable",
    summary: "Switch servers off without removing them",
    usage: ["disable [TOOLBOX/]SERVER…", "disable TOOLBOX"],
    details: `Agents do not see a disabled server, and it is not started. ${KEEPS}`,
    takes: [0, Number.MAX_SAFE_INTEGER],
    completes: "server",
    options: [CONFIG, { ...WHOLE_TOOLBOX, multiple: true }, DRY_RUN],
    examples: [
      { command: "disable web/playwright", explanation: "One server" },
      { command: "disable web", explanation: "All servers of a toolbox" },
    ],
    json: [...CHANGES, AFFECTED],
    load: async () => (await import("./setup-bundle.ts")).disable,
  },
  {
    name: "enable",
    summary: "Switch disabled servers on again",
    usage: ["enable [TOOLBOX/]SERVER…", "enable TOOLBOX"],
    details: KEEPS,
    takes: [0, Number.MAX_SAFE_INTEGER],
    completes: "server",
    options: [CONFIG, { ...WHOLE_TOOLBOX, multiple: true }, DRY_RUN],
    examples: [{ command: "enable web/playwright", explanation: "One server" }],
    json: [...CHANGES, AFFECTED],
    load: async () => (await import("./setup-bundle.ts")).enable,
  },
  {
    name: "edit",
    summary: "Edit the configuration in your editor",
    usage: ["edit"],
    details:
      "Opens a copy in the editor that VISUAL or EDITOR names and checks it when the editor exits. A valid file is written at once; otherwise you see the errors and can edit it again. A backup is made, and a running workbench applies the change at once.",
    takes: [0, 0],
    options: [CONFIG, DRY_RUN],
    examples: [{ command: "edit", explanation: "Open it, check it, write it" }],
    json: [...CHANGES],
    load: async () => (await import("./setup-bundle.ts")).edit,
  },
];
