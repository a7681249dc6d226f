import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

/** The row of `secret`. */
export const SECRET: Command = {
  name: "secret",
  summary: "Store secrets that the configuration refers to",
  usage: ["secret set NAME", "secret list", "secret rm NAME"],
  details:
    "Secrets are stored in secrets.env next to the configuration, which only you can read, or with --keychain in the keychain of the operating system. The configuration refers to them as ${NAME} or ${keychain:NAME}. `set` asks for the value without showing it, or reads it from standard input; running workbenches restart the servers that use it. `list` shows names and the servers that use them. No command shows a value.",
  takes: [1, 2],
  completes: ["set", "list", "rm"],
  completesNext: "secret",
  options: [CONFIG, { name: "keychain", summary: "Use the keychain of the operating system" }],
  examples: [
    { command: "secret set GITHUB_TOKEN", explanation: "Type or paste the value" },
    { command: "secret list", explanation: "Names, and which servers use them" },
    { command: "secret rm GITHUB_TOKEN --keychain", explanation: "Remove it from the keychain" },
  ],
  json: [
    ["action", "`set`, `list` or `rm`"],
    ["name", "the secret, or null"],
    ["changed", "whether something was stored or removed"],
    ["file", "the file with secrets, or null with --keychain"],
    ["secrets", "what is stored now: `name`, `place` (`env-file` or `keychain`), `usedBy`"],
  ],
  load: async () => (await import("./setup-bundle.ts")).secret,
};
