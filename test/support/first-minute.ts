/** A new user's machine: twelve servers in three clients, nine of which can work. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";

import { readClientFile } from "../../src/clients/read.ts";
import { requireClient } from "../../src/clients/table.ts";
import { type CliPlace, cliPlace } from "./cli.ts";
import type { Disposables } from "./disposables.ts";
import { freePort } from "./free-port.ts";
import { scriptServer } from "./script-server.ts";
import { fixture } from "./servers.ts";

/** Made up. Each one is what the tool `whoami` of its server returns. */
export const SECRETS = {
  github: `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`,
  "github-cursor": `ghp_${"Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"}`,
  crm: `crm-${"4f9Kq2Lw8Zx1Vb7N"}`,
  search: `tvly-${"Q8w7E6r5T4y3U2i1"}`,
  db: "hunter2-s3cr3t",
  files: "from-the-env-file",
  sentry: "sntrys_from-the-shell-0123456789",
} as const;

export const CLIENT_FILES = {
  "claude-code": ".claude.json",
  cursor: ".cursor/mcp.json",
  codex: ".codex/config.toml",
} as const;
type Client = keyof typeof CLIENT_FILES;

export interface Machine {
  readonly place: CliPlace;
  fileOf(client: Client): string;
  /** The clients' files as they were. */
  readonly originals: ReadonlyMap<Client, string>;
}

/** Returns the value of a variable, or of the argument after it, and exits if there is none. */
const WHOAMI = `
const [variable, ...rest] = process.argv.slice(2);
const value = rest.length > 0 ? rest.at(-1) : process.env[variable];
if (!value) {
  console.error("Error: " + variable + " is required. Set it in your environment.");
  process.exit(1);
}
serve({
  ...legacy({ tools: {} }),
  "tools/list": () => ({ tools: [{ name: "whoami", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: value }] }),
});
`;

export async function newMachine(disposables: Disposables): Promise<Machine> {
  const place = cliPlace(disposables, { env: { SENTRY_AUTH_TOKEN: SECRETS.sentry } });
  const { command, args: [script = ""] = [] } = scriptServer(disposables, WHOAMI);
  const whoami = (...args: string[]): { command: string; args: string[] } => ({
    command,
    args: [script, ...args],
  });
  const remote = await remoteServers(disposables);
  const envFile = join(place.home, "files.env");
  writeFileSync(envFile, `FILES_ROOT=${SECRETS.files}\n`, { mode: 0o600 });
  const plain = fixture("--name", "notes");
  const token = (value: string) => ({ env: { GITHUB_PERSONAL_ACCESS_TOKEN: value } });
  const claude = {
    numStartups: 7,
    mcpServers: {
      github: { ...whoami("GITHUB_PERSONAL_ACCESS_TOKEN"), ...token(SECRETS.github) },
      sentry: whoami("SENTRY_AUTH_TOKEN"),
      broken: fixture("--name", "broken", "--die", "before-init"),
      search: whoami("--api-key", SECRETS.search),
      notes: plain,
    },
  };
  const cursor = {
    mcpServers: {
      github: { ...whoami("GITHUB_PERSONAL_ACCESS_TOKEN"), ...token(SECRETS["github-cursor"]) },
      crm: { url: `${remote}/crm`, headers: { Authorization: `Bearer ${SECRETS.crm}` } },
      slow: fixture("--name", "slow", "--start-delay", "1000"),
      files: { ...whoami("FILES_ROOT"), envFile },
    },
  };
  const toml = (entry: { command: string; args?: readonly string[] }): string =>
    `command = ${JSON.stringify(entry.command)}\nargs = ${JSON.stringify(entry.args)}\n`;
  const codex = `# my servers
model = "small"

[mcp_servers.login]
url = "${remote}/login"

[mcp_servers.gone]
url = "http://127.0.0.1:${await freePort()}/mcp"

[mcp_servers.db]
${toml(whoami("DB_PASSWORD"))}[mcp_servers.db.env]
DB_PASSWORD = "${SECRETS.db}"

[mcp_servers.notes]
${toml(plain)}`;
  const originals = new Map<Client, string>([
    ["claude-code", `${JSON.stringify(claude, undefined, 2)}\n`],
    ["cursor", `// mine\n${JSON.stringify(cursor, undefined, "\t")}`],
    ["codex", codex],
  ]);
  const fileOf = (client: Client): string => join(place.home, CLIENT_FILES[client]);
  for (const [client, text] of originals) {
    mkdirSync(dirname(fileOf(client)), { recursive: true });
    writeFileSync(fileOf(client), text);
  }
  return { place, fileOf, originals };
}

/** The names in a client's file, and how it starts the workbench. */
export async function entriesIn(
  machine: Machine,
  client: Client,
): Promise<{
  readonly names: readonly string[];
  readonly launch: { readonly command: string; readonly args: readonly string[] };
}> {
  const found = await readClientFile(requireClient(client), machine.fileOf(client));
  const servers = found?.servers ?? [];
  const { command = "", args = [] } = servers.find((one) => one.isWorkbench)?.entry ?? {};
  return { names: servers.map(({ name }) => name), launch: { command, args } };
}

export const textOf = (machine: Machine, client: Client): string =>
  readFileSync(machine.fileOf(client), "utf8");

/** Remote servers: `/crm` returns the token it was given; `/login` wants one that no one has. */
export async function remoteServers(disposables: Disposables): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  disposables.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const token = request.headers.authorization?.replace(/^Bearer /, "");
  if (request.url === "/login" || token === undefined) {
    const metadata = `http://${request.headers.host}/.well-known/oauth-protected-resource`;
    response.setHeader("WWW-Authenticate", `Bearer resource_metadata="${metadata}"`);
    response.writeHead(401).end();
    return;
  }
  if (request.method !== "POST") {
    response.writeHead(405).end();
    return;
  }
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { id, method } = JSON.parse(body) as { id?: number; method: string };
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "crm", version: "1.0.0" },
    },
    "tools/list": { tools: [{ name: "whoami", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: token }] },
  };
  const result = results[method];
  const outcome =
    result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
}
