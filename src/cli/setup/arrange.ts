import type { ProposedServer, ProposedToolbox } from "../../clients/propose.ts";
import { isLegalName } from "../../clients/names.ts";
import { choices } from "../../text/choices.ts";
import { descriptionFor } from "./description-for.ts";
import { type Draft, serversOf, withServers } from "./draft.ts";

/** A changed draft, or why a line cannot be applied. */
export type Arranged = { readonly draft: Draft } | { readonly problem: string };

export const ARRANGE_HELP = "move SERVER TOOLBOX, rename NAME NEW, skip NAME";

/**
 * Applies one line of the dialogue to a draft. A name followed by `/` is a toolbox, in case a server
 * has the same name.
 */
export function arrange(draft: Draft, line: string): Arranged {
  const [verb = "", name = "", to = "", ...more] = line.trim().split(/\s+/);
  const isComplete = name !== "" && (to !== "") === (verb !== "skip") && more.length === 0;
  if (!isComplete || !["move", "rename", "skip"].includes(verb))
    return { problem: `Not understood. Type one of: ${ARRANGE_HELP}` };
  const server = serversOf(draft.toolboxes).find((one) => one.name === name);
  const box = draft.toolboxes.find((one) => one.name === name.replace(/\/$/, ""));
  if (verb !== "skip" && !isLegalName(to)) return { problem: `'${to}' cannot be used as a name` };
  if (server !== undefined) {
    if (verb === "move") return { draft: moved(draft, server, to) };
    return verb === "skip" ? { draft: without(draft, [server]) } : renamed(draft, server, to);
  }
  if (box === undefined) {
    const names = [...serversOf(draft.toolboxes), ...draft.toolboxes].map((one) => one.name);
    return { problem: `There is no '${name}'. ${choices(name, names) ?? ""}`.trim() };
  }
  if (verb === "skip") return { draft: without(draft, box.servers) };
  if (verb === "rename" && isTaken(draft.toolboxes, to, box))
    return { problem: `There is already a toolbox '${to}'. Move the servers instead` };
  if (verb === "rename")
    return { draft: replaced(draft, (one) => (one === box ? { ...box, name: to } : one)) };
  return { draft: box.servers.reduce((at, one) => moved(at, one, to), draft) };
}

type Change = (box: ProposedToolbox) => ProposedToolbox;

/** The draft with every toolbox changed; empty toolboxes are dropped. */
function replaced(draft: Draft, change: Change): Draft {
  const toolboxes = draft.toolboxes.map(change).filter(({ servers }) => servers.length > 0);
  return { ...draft, toolboxes };
}

function moved(draft: Draft, server: ProposedServer, to: string): Draft {
  const home = draft.toolboxes.find(({ servers }) => servers.includes(server));
  if (home?.name === to) return draft;
  const isNew = !draft.toolboxes.some(({ name }) => name === to);
  const description = descriptionFor(server.name, server.entry);
  const added = isNew ? [{ name: to, description, servers: [server] }] : [];
  const changed = replaced(draft, (box) => {
    if (box === home) return leaving(box, [server]);
    return box.name === to ? withServers(box, [...box.servers, server]) : box;
  });
  return { ...changed, toolboxes: [...changed.toolboxes, ...added] };
}

function without(draft: Draft, servers: readonly ProposedServer[]): Draft {
  const skipped = servers.flatMap(({ from }) =>
    from.map((server) => ({ server, reason: "you skipped it" })),
  );
  const rest = replaced(draft, (box) => leaving(box, servers));
  return { ...rest, skipped: [...draft.skipped, ...skipped] };
}

function leaving(box: ProposedToolbox, gone: readonly ProposedServer[]): ProposedToolbox {
  return withServers(
    box,
    box.servers.filter((server) => !gone.includes(server)),
  );
}

function renamed(draft: Draft, server: ProposedServer, name: string): Arranged {
  if (isTaken(serversOf(draft.toolboxes), name, server))
    return { problem: `There is already a server '${name}'` };
  const change: Change = (box) =>
    box.servers.includes(server)
      ? withServers(
          box,
          box.servers.map((one) => (one === server ? { ...server, name } : one)),
        )
      : box;
  return { draft: replaced(draft, change) };
}

/** Names that differ only in case are refused by the configuration. */
function isTaken(
  items: readonly { readonly name: string }[],
  name: string,
  except: { readonly name: string },
): boolean {
  return items.some((one) => one !== except && one.name.toLowerCase() === name.toLowerCase());
}
