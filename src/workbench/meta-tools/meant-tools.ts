import type { ToolIdentifier } from "../../calls/identifier.ts";
import { nearest } from "../../text/nearest.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import type { Server } from "../../servers/server.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { type Scope, enabledServersIn } from "../scopes.ts";
import type { GivenCall } from "./given-call.ts";

/** Reads the tools of servers that are known. */
export interface KnownTools {
  load(server: Server): Promise<{ readonly catalogue: SeenTools<ListedTool> } | undefined>;
}

/** A server that may be meant. */
interface Place {
  readonly toolbox: string;
  readonly server: string;
  /** Undefined as long as nothing is known about the server. */
  readonly tools: ReadonlyMap<string, unknown> | undefined;
}

/**
 * The tools that a malformed call may mean, the most likely first. Only tools that the client can
 * call: a tool that is known to be missing is left out, unless nothing else fits. One that is only for
 * pages is treated like a missing one, so that the answer does not show that it exists.
 */
export async function meantTools(
  given: GivenCall,
  scope: Scope,
  known: KnownTools,
): Promise<readonly ToolIdentifier[]> {
  const { name } = given;
  if (name === undefined) return [];
  const places = await placesIn(scope, known);
  const asGiven = places.filter((place) => isAt(given, place));
  const named = (found: readonly Place[]): ToolIdentifier[] => found.map((at) => toolAt(at, name));
  const ways: readonly (() => readonly ToolIdentifier[])[] = [
    () => named(asGiven.filter(({ tools }) => tools?.has(name))),
    () => (given.server === undefined ? [] : named(asGiven.filter(({ tools }) => !tools))),
    () => named(places.filter((at) => at.server === given.server && at.tools?.has(name))),
    () => spelledAlike(given, places),
    () => (given.server === undefined ? [] : named(asGiven)),
    () => named(places.filter(({ server }) => server === given.server)),
    () => places.flatMap((place) => pathTo(place, given)),
    () => named(nearestPlaces(given, places)),
  ];
  for (const find of ways) {
    const found = find();
    if (found.length > 0) return found;
  }
  return [];
}

function placesIn(scope: Scope, known: KnownTools): Promise<readonly Place[]> {
  return Promise.all(
    enabledServersIn(scope).map(async (server) => {
      const { catalogue } = (await known.load(server)) ?? {};
      const { toolbox } = server.settings;
      return { toolbox, server: server.name, tools: catalogue?.tools };
    }),
  );
}

function isAt({ toolbox, server }: Pick<GivenCall, "toolbox" | "server">, place: Place): boolean {
  return (
    (toolbox === undefined || toolbox === place.toolbox) &&
    (server === undefined || server === place.server)
  );
}

function toolAt({ toolbox, server }: Place, name: string): ToolIdentifier {
  return { toolbox, server, name };
}

function partsOf({ toolbox, server, name }: GivenCall): readonly string[] {
  return [toolbox, server, name].filter((part) => part !== undefined);
}

const SEPARATORS = /[^\p{L}\p{N}]+/gu;
const SIGNATURE = /\(.*/s;

/** Without case, separators and a signature, so that `createIssue` is `create_issue`. */
function plain(text: string): string {
  return text.replace(SIGNATURE, "").toLowerCase().replace(SEPARATORS, "");
}

/** The known tools whose name, or the end of whose path, is spelled like that, however separated. */
function spelledAlike(given: GivenCall, places: readonly Place[]): readonly ToolIdentifier[] {
  const text = plain(partsOf(given).join("/"));
  if (text === "") return [];
  return places.flatMap((place) => {
    const [toolbox, server] = [plain(place.toolbox), plain(place.server)];
    // Clients put their own name for the workbench in front.
    const starts = [`${toolbox}${server}`, server, toolbox, ""];
    return Array.from(place.tools?.keys() ?? []).flatMap((name) => {
      const own = plain(name);
      const isAlike =
        own !== "" &&
        text.endsWith(own) &&
        starts.some((start, i) => (i === 0 ? text.endsWith(start + own) : text === start + own));
      return isAlike ? [toolAt(place, name)] : [];
    });
  });
}

/** The tool in a path to this place with unusual separators or case, such as `toolbox.server.name`. */
function pathTo(place: Place, given: GivenCall): readonly ToolIdentifier[] {
  const path = partsOf(given).join("/");
  const inside = after(path, place.toolbox) ?? "";
  const name = after(inside, place.server) ?? after(path, place.server);
  return name === undefined ? [] : [toolAt(place, name)];
}

/** What follows the name at the start of a path and the separators behind it. */
function after(path: string, name: string): string | undefined {
  const text = path.replace(/^[^\p{L}\p{N}]+/u, "");
  if (text.slice(0, name.length).toLowerCase() !== name.toLowerCase()) return undefined;
  const rest = text.slice(name.length);
  const inner = rest.replace(/^[^\p{L}\p{N}]+/u, "").trimEnd();
  return inner === rest || inner === "" ? undefined : inner;
}

/** The server with the most similar name, in the toolbox with the most similar name. */
function nearestPlaces({ toolbox, server }: GivenCall, all: readonly Place[]): readonly Place[] {
  if (server === undefined) return [];
  const box =
    toolbox === undefined
      ? undefined
      : nearest(
          toolbox,
          all.map((place) => place.toolbox),
        );
  if (toolbox !== undefined && box === undefined) return [];
  const inside = all.filter((place) => box === undefined || place.toolbox === box);
  const meant = nearest(
    server,
    inside.map((place) => place.server),
  );
  return inside.filter((place) => place.server === meant);
}
