/**
 * The client that the suite's scenarios about signing in run: a workbench with the suite's server
 * as its only one, an MCP client in front of it, and a user who logs in whenever it is asked for.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Browser } from "../support/oauth/browser.ts";
import { type LoginPlace, logIn } from "../support/oauth/login.ts";
import type { Drive, DriverStart } from "./drivers.ts";
import { type Result, StdioClient } from "./stdio-client.mjs";
import { WORKBENCH } from "./subjects.ts";
import { withTemporaryDirectory } from "./temporary.ts";
import { argumentsFor } from "./user.mjs";

const TOOLBOX = "suite";
const SERVER = "server";
/** More than the suite tolerates, so that a workbench that never stops asking fails there. */
const MAX_LOGINS = 4;

/**
 * What the suite offers here has to be refused, with this reason. The suite itself only sees that the
 * workbench stopped, which a login that fails for any other reason would look like, too.
 */
const FOREIGN_ANSWER = /The answer to the login does not come from the authorization server/;
const REFUSALS: Readonly<Record<string, RegExp>> = {
  "auth/resource-mismatch": /is for the resource 'https:\/\/evil\.example\.com\/mcp'/,
  "auth/metadata-issuer-mismatch": /is for the issuer 'https:\/\/attacker\.example\.com'/,
  "auth/iss-supported-missing": FOREIGN_ANSWER,
  "auth/iss-wrong-issuer": FOREIGN_ANSWER,
  "auth/iss-unexpected": FOREIGN_ANSWER,
  "auth/iss-normalized": FOREIGN_ANSWER,
  // The server refuses every token, and the workbench has to stop asking for logins; the suite counts
  // them. The fourth request with a token ends the test with 410, whatever the request is for. If that
  // is `server/discover`, the legacy handshake follows, which a server of this revision refuses.
  "auth/scope-retry-limit":
    /refuses the request for lack of scope, even after 2 logins|responds with HTTP 410|Missing MCP-Protocol-Version header/,
};

/** What the suite tells its client about a scenario. */
interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly private_key_pem?: string;
}

/** What the user of a scenario would have configured. */
function settingsOf(scenario: string, context: Context): object | undefined {
  const { client_id: clientId, client_secret: clientSecret, issuer } = context;
  switch (scenario) {
    case "auth/basic-cimd":
      return { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" };
    case "auth/pre-registration":
      return { clientId, clientSecret, issuer };
    case "auth/client-credentials-basic":
      return { grant: "client_credentials", clientId, clientSecret };
    case "auth/client-credentials-jwt":
      return {
        grant: "client_credentials",
        clientId,
        clientAuth: "private_key_jwt",
        privateKey: context.private_key_pem,
      };
    default:
      return undefined;
  }
}

/** Calls every tool. Returns false if the user has to log in first. */
async function useServer(client: StdioClient): Promise<boolean> {
  const opened = await call(client, "open_toolbox", { toolbox: TOOLBOX });
  const text = textOf(opened);
  if (text.includes(`mcp-workbench login ${TOOLBOX}/${SERVER}`)) return false;
  if (opened.isError) throw new Error(text);
  const { tools } = JSON.parse(text) as {
    tools: readonly { name: string; inputSchema: object }[];
  };
  for (const { name, inputSchema } of tools) {
    const tool = { toolbox: TOOLBOX, server: SERVER, name };
    const result = await call(client, "use_tool", { tool, arguments: argumentsFor(inputSchema) });
    if (result._meta?.["mcp-workbench/needs-auth"] !== undefined) return false;
    if (result.isError) throw new Error(textOf(result));
  }
  return true;
}

const textOf = ({ content }: Result): string => content[0]?.text ?? "";
const call = (client: StdioClient, name: string, args: object): Promise<Result> =>
  client.request("tools/call", { name, arguments: args });

/** Logs in as often as it is asked for, until the server can be used. */
async function drive(client: StdioClient, place: LoginPlace): Promise<void> {
  for (let logins = 0; logins <= MAX_LOGINS; logins++) {
    if (await useServer(client)) return;
    const { code, stdout, stderr } = await logIn(place, `${TOOLBOX}/${SERVER}`, {
      browser: new Browser(),
    });
    if (code !== 0) throw new Error(`login failed:\n${stdout}${stderr}`);
  }
  throw new Error(`still asked to log in after ${MAX_LOGINS} logins`);
}

/** Like `drive`, but the user has to end up with this reason. */
async function driveToRefusal(
  client: StdioClient,
  place: LoginPlace,
  reason: RegExp,
): Promise<void> {
  const problem = await drive(client, place).then(
    () => "nothing was refused",
    (error: Error) => error.message,
  );
  if (!reason.test(problem)) throw new Error(`expected ${reason}, but: ${problem}`);
}

/** For a legacy client the configuration states the era of the suite's modern servers. */
function protocolOf(era: string, env: DriverStart["env"]): object {
  const protocol = env["MCP_CONFORMANCE_PROTOCOL_VERSION"];
  return era === "legacy" && protocol === "2026-07-28" ? { protocol } : {};
}

/** Runs a scenario; the era is that of the client in front. */
export function authDriver(era: "legacy" | "modern"): Drive {
  return ({ url, env: given }, { signal, onStderr }) =>
    withTemporaryDirectory(async (dir) => {
      const scenario = given["MCP_CONFORMANCE_SCENARIO"] ?? "";
      const context = JSON.parse(given["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;
      const oauth = settingsOf(scenario, context);
      const configFile = join(dir, "workbench-config.json");
      const env = { ...given, XDG_STATE_HOME: dir, XDG_CACHE_HOME: dir };
      const entry = { type: "http", url, ...(oauth && { oauth }), ...protocolOf(era, given) };
      const toolboxes = { [TOOLBOX]: { description: "Suite", mcpServers: { [SERVER]: entry } } };
      await writeFile(configFile, JSON.stringify({ credentials: "file", toolboxes }));
      const place = { dir, configFile, command: process.execPath, args: [WORKBENCH], env };
      const args = [WORKBENCH, "serve", "--config", configFile];
      const client = new StdioClient(args, era, env, onStderr);
      signal.addEventListener("abort", () => void client.close());
      try {
        await client.connect();
        const reason = REFUSALS[scenario];
        await (reason === undefined ? drive(client, place) : driveToRefusal(client, place, reason));
      } finally {
        await client.close();
      }
    });
}
