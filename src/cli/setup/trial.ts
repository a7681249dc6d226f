import type { ProposedToolbox } from "../../clients/propose.ts";
import { secretsInEntry, lineMask } from "../../secrets/in-entry.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import type { WorkbenchError } from "../../errors.ts";
import type { KnownServer } from "../../servers/server-memory.ts";
import { estimateTokens } from "../../text/estimate-tokens.ts";
import type { Context } from "../core/command.ts";
import { plural, wrap } from "../output/layout.ts";
import { safeLine } from "../../text/safe-text.ts";
import { connectAll, explainFailure, labelOf } from "../use/connect.ts";
import { workbenchTokens } from "../use/workbench-tokens.ts";
import { serversAt } from "../use/target.ts";
import { withDeadline, withWorkbench } from "../use/with-workbench.ts";
import { serversOf } from "./draft.ts";

/** Lines of output to show for a failed server. */
const SHOWN_LINES = 3;

/** The outcome of connecting to one server. */
export interface ServerTrial {
  readonly tools: number;
  readonly tokens: number;
  readonly error: string | undefined;
  /** The last lines that a failed server wrote to standard error. */
  readonly lastOutput: readonly string[];
  /** The user has to sign in to it. */
  readonly needsLogin?: boolean;
}

export interface Trial {
  /** By `toolbox/server`. */
  readonly servers: ReadonlyMap<string, ServerTrial>;
  /** How many of them answered; only their tools are counted. */
  readonly counted: number;
  readonly before: number;
  readonly after: number;
  /** What those that answered listed, by `toolbox/server`. */
  readonly known: ReadonlyMap<string, KnownServer>;
}

export interface TrialOptions {
  /** The draft whose entries may contain secrets. */
  readonly toolboxes: readonly ProposedToolbox[];
  readonly timeoutMs?: number | undefined;
  /** The servers to connect to, as `toolbox/server`; by default all. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** Connects to servers once, to count their tools and tokens. */
export async function tryServers(
  context: Context,
  settings: WorkbenchSettings,
  { toolboxes, timeoutMs, only }: TrialOptions,
): Promise<Trial> {
  const { out, signal } = context;
  const { green, red, dim } = out.noteStyle;
  // An error message may repeat the arguments the server was started with.
  const mask = lineMask(
    serversOf(toolboxes).flatMap(({ entry }) => secretsInEntry(entry).map(({ value }) => value)),
  );
  const explain = (error: WorkbenchError): Pick<ServerTrial, "lastOutput"> & { error: string } => {
    const { reason, lastOutput } = explainFailure(error);
    const shown = (text: string): string => mask(safeLine(text));
    return { error: shown(reason), lastOutput: lastOutput.map(shown) };
  };
  return withWorkbench(
    context,
    timeoutMs === undefined ? settings : withDeadline(settings, timeoutMs),
    async ({ workbench, client }) => {
      const tried = serversAt(workbench, {}).filter((one) => only?.has(labelOf(one)) ?? true);
      const outcome = await connectAll(client, tried, out, (one) => {
        // Servers that are stopped by Ctrl-C have not failed.
        if (signal.aborted) return undefined;
        if ("error" in one) {
          const { error, lastOutput } = explain(one.error);
          const lines = lastOutput.slice(-SHOWN_LINES).map((line) => `\n    ${dim(`| ${line}`)}`);
          const text = wrap(`${labelOf(one.server)}  ${error}`, out.noteWidth - 4);
          return `${red("✗")} ${text.replaceAll("\n", "\n    ")}${lines.join("")}`;
        }
        const count = plural(one.connection.catalogue.tools.size, "tool");
        return `${green("✓")} ${labelOf(one.server)}  ${dim(count)}`;
      });
      const servers = new Map<string, ServerTrial>();
      const known = new Map<string, KnownServer>();
      for (const { server, error } of outcome.failed)
        servers.set(labelOf(server), {
          tools: 0,
          tokens: 0,
          needsLogin: error.code === "SIGN_IN_REQUIRED",
          ...explain(error),
        });
      for (const { server, connection } of outcome.connected) {
        const tools = [...connection.catalogue.tools.values()];
        const tokens = tools.reduce((sum, tool) => sum + estimateTokens(tool.text), 0);
        const counts = { tools: tools.length, tokens };
        servers.set(labelOf(server), { ...counts, error: undefined, lastOutput: [] });
        const listed = workbench.catalogues.known(server);
        if (listed !== undefined) known.set(labelOf(server), listed);
      }
      const before = [...servers.values()].reduce((sum, { tokens }) => sum + tokens, 0);
      const counted = outcome.connected.length;
      return { servers, counted, before, after: await workbenchTokens(client), known };
    },
  );
}
