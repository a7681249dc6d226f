import {
  type ProposedServer,
  type ProposedToolbox,
  type Skipped,
  proposeToolboxes,
} from "../../clients/propose.ts";
import { updatedDescription } from "../../clients/describe.ts";
import type { FoundFile, FoundServer } from "../../clients/read.ts";
import { resolveConfig } from "../../config/load.ts";
import type { WorkbenchConfig } from "../../config/schema.ts";
import { isWorkbenchError, reasonOf } from "../../errors.ts";
import type { Context } from "../core/command.ts";

/** Proposed toolboxes with the entries as they were found, including secrets in plain text. */
export interface Draft {
  readonly toolboxes: readonly ProposedToolbox[];
  readonly skipped: readonly Skipped[];
  /** Entries of clients for servers that the configuration has already. */
  readonly known?: readonly KnownEntry[];
}

/** An entry of a client, and the configured server that it is for, as `toolbox/server`. */
export interface KnownEntry {
  readonly server: FoundServer;
  readonly by: string;
}

/** Proposes toolboxes for the servers found, without those that no configuration may contain. */
export async function draftFrom(
  context: Pick<Context, "env" | "cwd">,
  files: readonly FoundFile[],
  toolbox: string | undefined,
): Promise<Draft> {
  const found = files.flatMap(({ servers }) => servers);
  const proposal = proposeToolboxes(found, toolbox === undefined ? {} : { toolbox });
  const skipped = [...proposal.skipped];
  const toolboxes: ProposedToolbox[] = [];
  for (const box of proposal.toolboxes) {
    const servers: ProposedServer[] = [];
    for (const server of box.servers) {
      const problem = await problemOf(context, server);
      if (problem === undefined) servers.push(server);
      else skipped.push(...server.from.map((from) => ({ server: from, reason: problem })));
    }
    if (servers.length > 0) toolboxes.push(withServers(box, servers));
  }
  return { toolboxes, skipped };
}

/** The same toolbox with other servers; a generated description names them. */
export function withServers(
  box: ProposedToolbox,
  servers: readonly ProposedServer[],
): ProposedToolbox {
  const namesOf = (list: readonly ProposedServer[]): string[] => list.map(({ name }) => name);
  const { description } = box;
  const after = updatedDescription(description, namesOf(box.servers), namesOf(servers));
  return { ...box, servers, description: after };
}

/** Every server of some toolboxes. */
export const serversOf = (toolboxes: readonly ProposedToolbox[]): readonly ProposedServer[] =>
  toolboxes.flatMap(({ servers }) => servers);

/** The configuration for some toolboxes. */
export function configOf(toolboxes: readonly ProposedToolbox[]): WorkbenchConfig {
  const boxes = toolboxes.map(({ name, description, servers }) => {
    const mcpServers = Object.fromEntries(servers.map((server) => [server.name, server.entry]));
    return [name, { description, mcpServers }];
  });
  return { toolboxes: Object.fromEntries(boxes) as WorkbenchConfig["toolboxes"] };
}

/** A server that was left out, for `--json`. */
export function skippedReport({ server, reason }: Skipped): object {
  const { client, file, name } = server;
  return { client, file, name, reason };
}

async function problemOf(
  { env, cwd }: Pick<Context, "env" | "cwd">,
  server: ProposedServer,
): Promise<string | undefined> {
  const box = { name: "imported", description: "Imported", servers: [server] };
  try {
    await resolveConfig(configOf([box]), { env, cwd });
    return undefined;
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    // The rest of the message names a file that does not exist.
    const [, ...problems] = reasonOf(error).split("\n");
    return problems
      .map((problem) =>
        problem.trim().replace(/^toolboxes\.imported\.mcpServers\.[^:]*?\.?(?=\w+:)/, ""),
      )
      .join("; ");
  }
}
