import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

/** Commands for sharing a workbench. */
export const SHARE_COMMANDS: readonly Command[] = [
  {
    name: "token",
    summary: "Give other clients and people limited access over HTTP",
    usage: [
      "token create NAME [--toolbox T]… [--server T/S]… [--read-only] [--expires 30d]",
      "token list",
      "token revoke NAME",
      "token rotate NAME",
    ],
    details:
      "A token is what a client sends to a workbench that serves over HTTP (`serve --http`), instead of your own token. What it may not use does not exist for it. The options of `create` add up; without --toolbox and --server the token may use every toolbox. A token is shown once, when it is created or rotated; only a hash is stored. Changes take effect in running workbenches within a second: `revoke` and `rotate` end the sessions, streams and calls of a token. `rotate` replaces the token and keeps its name, its limits and the length of its validity.",
    takes: [1, 2],
    completes: ["create", "list", "revoke", "rotate"],
    completesNext: "token",
    options: [
      CONFIG,
      {
        name: "toolbox",
        value: "NAME",
        multiple: true,
        summary: "create: allow this toolbox; can be repeated",
        completes: "toolbox",
      },
      {
        name: "server",
        value: "TOOLBOX/SERVER",
        multiple: true,
        summary: "create: allow this server; can be repeated",
        completes: "server",
      },
      {
        name: "read-only",
        summary: "create: allow only tools that are known to read",
      },
      {
        name: "expires",
        value: "TIME",
        summary: "create: end after this time, such as 12h, 30d or 8w; by default never",
      },
    ],
    examples: [
      { command: "token create ci --toolbox dev --expires 30d", explanation: "One toolbox" },
      { command: "token create alice --server dev/github", explanation: "One server" },
      {
        command: "token create reports --toolbox dev --read-only",
        explanation: "Only tools that read",
      },
      { command: "token list", explanation: "Names, limits, expiry and last use" },
      { command: "token revoke alice", explanation: "Ends its sessions at once" },
    ],
    json: [
      ["token", "of `create` and `rotate`: the token, which cannot be shown again"],
      [
        "name, id, toolboxes, servers, readOnly, createdAt, rotatedAt, expiresAt, lastUsedAt, expired",
        "of `create`, `rotate` and `revoke`: what is stored; `toolboxes` and `servers` are null if the token may use all",
      ],
      ["tokens", "of `list`: the same for each token"],
    ],
    finishesUnread: true,
    load: async () => (await import("./token-bundle.ts")).token,
  },
];
