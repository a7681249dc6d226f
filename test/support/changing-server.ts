/** A server whose definitions a test can change while it runs. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Disposables } from "./disposables.ts";
import { scriptServer } from "./script-server.ts";
import type { ServerEntry } from "./servers.ts";
import { temporaryFolder } from "./workbench.ts";

export interface Definitions {
  readonly instructions?: string;
  readonly tools: readonly object[];
  readonly prompts?: readonly object[];
  readonly resourceTemplates?: readonly object[];
}

export interface ChangingServer {
  readonly entry: ServerEntry;
  /** From now on it defines this, and announces that its tools have changed. */
  define(definitions: Definitions): void;
  /** The tools and prompts that were used, in order. */
  used(): string[];
}

const PROGRAM = `
import { appendFileSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
const folder = process.argv[2];
const now = () => JSON.parse(readFileSync(join(folder, "definitions.json"), "utf8"));
const used = (name) => appendFileSync(join(folder, "used"), name + "\\n");
watch(folder, { persistent: false }, (_event, name) => {
  if (name === "definitions.json") send({ method: "notifications/tools/list_changed" });
});
serve({
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
    serverInfo: { name: "changing", version: "1.0.0" },
    instructions: now().instructions,
  }),
  "tools/list": () => ({ tools: now().tools }),
  "tools/call": ({ name }) => {
    used(name);
    return { content: [{ type: "text", text: "called " + name }] };
  },
  "prompts/list": () => ({ prompts: now().prompts ?? [] }),
  "prompts/get": ({ name }) => {
    used(name);
    return { messages: [{ role: "user", content: { type: "text", text: "prompt " + name } }] };
  },
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: now().resourceTemplates ?? [] }),
});
`;

export function changingServer(disposables: Disposables, first: Definitions): ChangingServer {
  const folder = temporaryFolder(disposables);
  const define = (definitions: Definitions): void => {
    const file = join(folder, "definitions.json");
    writeFileSync(`${file}.new`, JSON.stringify(definitions));
    renameSync(`${file}.new`, file);
  };
  define(first);
  const { command, args = [] } = scriptServer(disposables, PROGRAM);
  const record = join(folder, "used");
  return {
    entry: { command, args: [...args, folder] },
    define,
    used: () => (existsSync(record) ? readFileSync(record, "utf8").trim().split("\n") : []),
  };
}
