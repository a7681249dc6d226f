import type { ProposedServer } from "../../clients/propose.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { withheldVariables } from "../../secrets/withheld-variables.ts";
import { serverEnvironment } from "../../servers/transport/stdio/environment.ts";
import type { Context } from "../core/command.ts";
import { readSeconds } from "../core/seconds.ts";
import { safeLine } from "../../text/safe-text.ts";
import { type Draft, serversOf } from "./draft.ts";
import { showTokens } from "./show-draft.ts";
import { type Trial, tryServers } from "./trial.ts";

/** A server may complain about one variable after the other. */
const MAX_ROUNDS = 4;

export interface TriedDraft {
  readonly draft: Draft;
  /** Undefined if no server was tried. */
  readonly trial: Trial | undefined;
}

/**
 * Connects to the servers of a draft and shows what their tools cost. A server that fails for lack of
 * a variable that the user has set inherits it, if the user agrees, and is tried again.
 */
export async function tryDraft(
  context: Context,
  proposed: Draft,
  /** The settings in force if a draft is written. */
  settingsFor: (draft: Draft) => Promise<WorkbenchSettings>,
): Promise<TriedDraft> {
  const { args, out } = context;
  const limit = args.text("timeout");
  const timeoutMs = limit === undefined ? undefined : readSeconds(limit, 0);
  const isEmpty = serversOf(proposed.toolboxes).length === 0;
  if ((isEmpty && proposed.known === undefined) || args.flag("no-connect") || args.flag("dry-run"))
    return { draft: proposed, trial: undefined };
  out.say(`\n${out.noteStyle.bold("Connecting to the servers")}`);
  let draft = proposed;
  const attempt = async (only?: ReadonlySet<string>): Promise<Trial> =>
    tryServers(context, await settingsFor(draft), { toolboxes: draft.toolboxes, timeoutMs, only });
  let trial = await attempt();
  const declined = new Set<string>();
  for (let round = 1; round < MAX_ROUNDS; round += 1) {
    const wanting = await askToInherit(context, draft, trial, declined);
    if (wanting.size === 0) break;
    draft = withInherited(draft, wanting);
    trial = merged(trial, await attempt(new Set(wanting.keys())));
  }
  showTokens(trial, out);
  return { draft, trial };
}

/** Names of variables, by `toolbox/server`. */
type Wanting = ReadonlyMap<string, readonly string[]>;

async function askToInherit(
  { args, env, out, prompt }: Context,
  { toolboxes }: Draft,
  { servers }: Trial,
  declined: Set<string>,
): Promise<Wanting> {
  const wanting = new Map<string, readonly string[]>();
  for (const [label, server] of labelled(toolboxes)) {
    const { name } = server;
    const names = declined.has(label)
      ? []
      : variablesWanted(server, servers.get(label)?.lastOutput ?? [], env);
    if (names.length === 0) continue;
    const list = safeLine(names.join(", "));
    const question = `${name} asks for ${list}, which is set here. Pass it on?`;
    if (prompt.available && !args.flag("yes") && !(await prompt.confirm(question, true)))
      declined.add(label);
    else {
      out.say(`Trying ${name} again with ${list}`);
      wanting.set(label, names);
    }
  }
  return wanting;
}

/** The author of a project must not choose which of the user's variables its servers get. */
function variablesWanted(
  { entry, from }: ProposedServer,
  lastOutput: readonly string[],
  env: Context["env"],
): readonly string[] {
  if (entry.command === undefined || from.some(({ scope }) => scope === "project")) return [];
  const passed = Object.keys(serverEnvironment(entry.env ?? {}, entry.inheritEnv ?? []));
  return withheldVariables(lastOutput, env, passed);
}

const labelled = (
  toolboxes: Draft["toolboxes"],
): readonly (readonly [label: string, server: ProposedServer])[] =>
  toolboxes.flatMap(({ name, servers }) =>
    servers.map((server) => [`${name}/${server.name}`, server] as const),
  );

function withInherited(draft: Draft, wanting: Wanting): Draft {
  const toolboxes = draft.toolboxes.map((box) => ({
    ...box,
    servers: box.servers.map((server) => {
      const { entry, name } = server;
      const names = wanting.get(`${box.name}/${name}`) ?? [];
      if (names.length === 0) return server;
      return {
        ...server,
        entry: { ...entry, inheritEnv: [...(entry.inheritEnv ?? []), ...names] },
      };
    }),
  }));
  return { ...draft, toolboxes };
}

function merged(first: Trial, second: Trial): Trial {
  const servers = new Map([...first.servers, ...second.servers]);
  const all = [...servers.values()];
  return {
    servers,
    counted: all.filter(({ error }) => error === undefined).length,
    before: all.reduce((sum, { tokens }) => sum + tokens, 0),
    after: first.after,
    known: new Map([...first.known, ...second.known]),
  };
}
