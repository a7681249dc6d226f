import { type FoundServer, findServers } from "../../clients/read.ts";
import { variablesIn } from "../../clients/variables.ts";
import { resolveConfig } from "../../config/load.ts";
import { isWorkbenchError } from "../../errors.ts";
import { secretsInEntry } from "../../secrets/in-entry.ts";
import { shellWords } from "../../text/shell-words.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";
import { connectAll, explainFailure } from "../use/connect.ts";
import { serversAt } from "../use/target.ts";
import { withDeadline, withWorkbench } from "../use/with-workbench.ts";
import type { Finding } from "./client-entry.ts";

/** Checks an entry that connects to a workbench: its variable, and whether the URL answers. */
export async function checkUrlEntry(
  context: Context,
  found: FoundServer,
  connectMs: number | undefined,
): Promise<Finding> {
  const { client, entry, name, scope } = found;
  const { url = "", headers = {} } = entry ?? {};
  const what = `connects to the workbench at ${url} as '${name}'`;
  const variables = variablesIn(Object.values(headers));
  const unset = variables.filter((variable) => (context.env[variable] ?? "") === "");
  if (unset.length > 0)
    return {
      status: "error",
      message: `${what}, but ${unset.join(", ")} is not set here`,
      fix: "Set it in the environment that the client is started from",
    };
  // The author of a project must not choose where the value of a variable is sent.
  if (scope === "project")
    return { status: "ok", message: `${what} (not checked, because a project chose the address)` };
  const problem =
    connectMs === undefined
      ? undefined
      : await connectionProblem(context, { url, headers }, connectMs);
  if (problem === undefined && secretsInEntry({ headers }).length > 0)
    return {
      status: "warning",
      message: `${what}; its token is stored in plain text`,
      fix: `mcp-workbench install ${shellWords([client, "--name", name, "--url", url])} --token-env NAME`,
    };
  if (problem === undefined) return { status: "ok", message: what };
  const { message, fix } = explainUrlProblem(problem, { client, name, variables });
  return { status: "error", message: `${what}, but ${message}`, fix };
}

/** What is wrong with a workbench at a URL: it does not run, rejects the token, or lacks what the entry shows. */
export function explainUrlProblem(
  problem: string,
  { client, name, variables }: { client: string; name: string; variables: readonly string[] },
): { readonly message: string; readonly fix: string } {
  const install = `mcp-workbench install ${shellWords([client, "--name", name])} --url URL --token-env NAME`;
  if (/\(HTTP 40[13]\)/.test(problem)) {
    const [variable] = variables;
    return variable === undefined
      ? { message: "it requires a token", fix: install }
      : {
          message: `it rejects the token in ${variable}`,
          fix: `Set ${variable} to the token of that workbench, also in the environment that the client is started from`,
        };
  }
  if (/^(?:Toolbox|Server) '/.test(problem))
    return { message: `it answers: ${problem}`, fix: `Change the entry: ${install}` };
  return {
    message: `cannot reach it: ${problem}`,
    fix: `Start it with 'mcp-workbench serve --http', or change the entry: ${install}`,
  };
}

/** Whether a client of the user connects to a workbench by URL. */
export async function usesRemote(context: Context): Promise<boolean> {
  const files = await findServers({ host: hostInfo(context) });
  return files.some(({ servers }) =>
    servers.some(({ isWorkbench, entry }) => isWorkbench && entry?.url !== undefined),
  );
}

interface Remote {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function connectionProblem(
  context: Context,
  { url, headers }: Remote,
  connectMs: number,
): Promise<string | undefined> {
  const { env, cwd } = context;
  const mcpServers = { workbench: { url, headers: { ...headers } } };
  const config = { toolboxes: { shared: { description: "A workbench", mcpServers } } };
  try {
    const settings = withDeadline(await resolveConfig(config, { env, cwd }), connectMs);
    return await withWorkbench(context, settings, async ({ workbench, client }) => {
      const { failed } = await connectAll(client, serversAt(workbench, {}), context.out);
      if (failed[0] === undefined) return undefined;
      // The advice is about servers in a configuration.
      const { reason, fix } = explainFailure(failed[0].error);
      return fix === undefined ? reason : reason.replace(`. ${fix}`, "");
    });
  } catch (error) {
    if (!isWorkbenchError(error) || error.code === "INTERRUPTED") throw error;
    return error.text;
  }
}
