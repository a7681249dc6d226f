import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

const USER: Command["options"][number] = {
  name: "user",
  value: "NAME",
  summary:
    'For a server with "credentials": "perUser": the user whose sign-in it is, by the name of an access token or as oauth:SUBJECT; yours without it',
  completes: "token",
};

/** Commands that sign in to remote servers. */
export const SIGN_IN_COMMANDS: readonly Command[] = [
  {
    name: "login",
    summary: "Sign in to a remote server",
    usage: ["login TOOLBOX/SERVER [--user NAME]", "login TOOLBOX/SERVER --import -"],
    details:
      "Prints the address to open, opens the browser, and waits until it returns. If the browser runs on another machine, paste the address that it ends at. The tokens are stored for this user, refreshed when needed, and used by every running workbench at once. The name of the server is enough if there is only one.",
    takes: [1, 1],
    completes: "server",
    options: [
      CONFIG,
      USER,
      { name: "no-browser", summary: "Only print the address" },
      { name: "device", summary: "Sign in with a code on any device, if the service supports it" },
      { name: "port", value: "N", summary: "The port to which the browser returns" },
      {
        name: "import",
        value: "-",
        summary: "Take tokens as JSON from standard input instead of asking for a login",
        completes: ["-"],
      },
    ],
    examples: [
      { command: "login work/notion", explanation: "In the browser" },
      { command: "login work/notion --device", explanation: "With a code, on any device" },
      { command: "login work/notion --import -", explanation: "For CI: tokens on standard input" },
    ],
    json: [
      ["event", "`open`, `device`, `signed-in` or `failed`; the other keys depend on it"],
      ["url", "of `open` and `device`: the address for the user"],
      ["code", "of `device`: what the user enters there; of `failed`: the error code"],
      [
        "server, account, user, expiresAt",
        "of `signed-in`; `expiresAt` is null if it is not known, and `user` is left out for you",
      ],
      ["reason", "of `failed`"],
    ],
    jsonLines: true,
    load: async () => (await import("./sign-in-bundle.ts")).login,
  },
  {
    name: "logout",
    summary: "Sign out of a remote server",
    usage: ["logout TOOLBOX/SERVER [--user NAME]", "logout --all"],
    details:
      "Asks the authorization server to revoke the tokens, where it can, and deletes them here in any case.",
    takes: [0, 1],
    completes: "server",
    options: [
      CONFIG,
      USER,
      { name: "all", summary: "Everything that is stored, also for servers no longer configured" },
    ],
    examples: [
      { command: "logout work/notion", explanation: "One server" },
      { command: "logout --all", explanation: "All of them" },
    ],
    json: [["servers", "`server`, `account`, `user`, `removed`, `revoked`, `problem`"]],
    finishesUnread: true,
    load: async () => (await import("./sign-in-bundle.ts")).logout,
  },
  {
    name: "auth",
    summary: "Show which remote servers you are signed in to",
    usage: ["auth"],
    details:
      "Reads what is stored; no server is asked. Servers that each user signs in to occur once for you and once for each user who has signed in.",
    takes: [0, 0],
    options: [CONFIG],
    examples: [{ command: "auth", explanation: "The remote servers and their state" }],
    json: [
      [
        "servers",
        "`server`, `url`, `auth` (`kind`, `state`, `account`, `user`, `issuer`, `scope`, `expiresAt`, `refreshable`, `login`, `reason`)",
      ],
    ],
    load: async () => (await import("./sign-in-bundle.ts")).auth,
  },
];
