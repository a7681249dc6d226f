import { basename } from "node:path";

import type { ServerEntry } from "./canonical.ts";
import { legalName, claimName } from "./names.ts";
import { type Category, OTHER, categoryOf, CATEGORIES } from "./categories.ts";
import { describeToolbox } from "./describe.ts";
import type { FoundServer, EntryScope } from "./read.ts";
import { CLIENTS } from "./table.ts";

/** A server as it would be configured, and where it was found. */
export interface ProposedServer {
  readonly name: string;
  readonly entry: ServerEntry;
  /** Every client entry for it; duplicates are merged. */
  readonly from: readonly FoundServer[];
}

export interface ProposedToolbox {
  readonly name: string;
  readonly description: string;
  readonly servers: readonly ProposedServer[];
}

export interface Skipped {
  readonly server: FoundServer;
  readonly reason: string;
}

export interface Proposal {
  readonly toolboxes: readonly ProposedToolbox[];
  readonly skipped: readonly Skipped[];
}

/**
 * Proposes toolboxes for the servers found: a server configured in several places becomes one, the
 * same server with different accounts becomes several with different names, and all are grouped by
 * purpose. The result does not depend on the order of the input.
 */
export function proposeToolboxes(
  found: readonly FoundServer[],
  options: { readonly toolbox?: string } = {},
): Proposal {
  const skipped: Skipped[] = [];
  const same = new Map<string, { entry: ServerEntry; from: FoundServer[] }>();
  for (const server of found.toSorted(byPlace)) {
    const { entry } = server;
    const reason = reasonToSkip(server);
    if (entry === undefined || reason !== undefined) {
      skipped.push({ server, reason: reason ?? "it cannot be read" });
      continue;
    }
    const identity = identityOf(entry);
    const known = same.get(identity);
    if (known === undefined) same.set(identity, { entry, from: [server] });
    else known.from.push(server);
  }
  const taken = new Set<string>();
  const servers = [...same.values()].map(({ entry, from }) => {
    return { name: claimName(nameCandidates(from), taken), entry, from };
  });
  return { toolboxes: group(servers, options.toolbox), skipped };
}

/** The category of one server, by its name, package and host. */
export function categoryOfServer(name: string, entry: ServerEntry): Category {
  return categoryOf(clues({ name, entry, from: [] }));
}

/** A larger toolbox starts too many servers at once when it is opened. */
const MAX_SERVERS = 8;
const SCOPES: readonly EntryScope[] = ["user", "project", "local"];

function byPlace(a: FoundServer, b: FoundServer): number {
  const rank = ({ client }: FoundServer): number => {
    const index = CLIENTS.findIndex(({ id }) => id === client);
    return index === -1 ? CLIENTS.length : index;
  };
  const text = (s: FoundServer): string => `${s.file}\0${s.path.join("\0")}`;
  return (
    SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) ||
    rank(a) - rank(b) ||
    (text(a) < text(b) ? -1 : Number(text(a) > text(b)))
  );
}

function reasonToSkip(server: FoundServer): string | undefined {
  if (server.isWorkbench)
    return server.entry?.url === undefined
      ? "it is the workbench itself"
      : "it seems to be a workbench served over HTTP";
  if (server.entry === undefined) return server.problems.join("; ");
  return server.disabled ? "it is disabled" : undefined;
}

/** Equal for entries that start the same program, or reach the same URL, with the same account. */
function identityOf(entry: ServerEntry): string {
  const { command, args = [], env = {}, envFile, cwd, url, headers = {} } = entry;
  const sorted = (map: Readonly<Record<string, string>>): unknown =>
    Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (url !== undefined) return JSON.stringify([url.replace(/\/+$/, ""), sorted(headers)]);
  return JSON.stringify([wordsOf(command, args), sorted(env), cwd, envFile]);
}

/** A command line without words that do not change what is run. */
function wordsOf(command = "", args: readonly string[] = []): readonly string[] {
  const words = [command, ...args];
  const plain =
    /^cmd(\.exe)?$/i.test(command) && args[0]?.toLowerCase() === "/c" ? words.slice(2) : words;
  return plain
    .filter((word) => word !== "-y" && word !== "--yes")
    .map((word) => word.replace(/@latest$/, ""));
}

/** Names in order of preference: its own, then with the project or the client it was found in. */
function nameCandidates(from: readonly FoundServer[]): readonly string[] {
  const [first] = from;
  if (first === undefined) return ["server"];
  const own = legalName(first.name, "server");
  const places = [first.project === undefined ? "" : basename(first.project), first.client];
  const longer = places
    .map((host) => legalName(host, ""))
    .filter((host) => host !== "")
    .map((host) => legalName(`${own}-${host}`, own));
  return [own, ...longer];
}

function group(
  servers: readonly ProposedServer[],
  only: string | undefined,
): readonly ProposedToolbox[] {
  const sorted = servers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (sorted.length === 0) return [];
  const namesOf = (inside: readonly ProposedServer[]): string[] => inside.map(({ name }) => name);
  if (only !== undefined)
    return [{ name: only, description: describeToolbox(namesOf(sorted)), servers: sorted }];
  const all = [...CATEGORIES, OTHER];
  const categories = new Map(sorted.map((server) => [server, categoryOf(clues(server))]));
  const inside = (category: Category): ProposedServer[] =>
    sorted.filter((server) => categories.get(server) === category);
  for (const category of CATEGORIES) {
    const wider = all.find(({ toolbox }) => toolbox === category.within);
    const others = wider === undefined ? [] : inside(wider);
    const own = inside(category);
    if (wider === undefined || others.length === 0) continue;
    if (own.length + others.length > MAX_SERVERS) continue;
    for (const server of own) categories.set(server, wider);
  }
  return all.flatMap((category) => {
    const own = inside(category);
    const description = describeToolbox(namesOf(own), category.purpose);
    return own.length === 0 ? [] : [{ name: category.toolbox, description, servers: own }];
  });
}

/** The words of a server's name, package and host, but not of its arguments, which are unrelated. */
function clues({ name, entry, from }: ProposedServer): readonly string[] {
  const program = wordsOf(entry.command, entry.args).filter(
    (word) => !/^-|\s/.test(word) && !RUNNER.test(word),
  );
  const host = entry.url === undefined ? [] : [hostOf(entry.url)];
  const words = program.slice(0, 3).map(withoutFolders);
  const texts = [name, ...from.map((server) => server.name), ...words, ...host];
  return texts.flatMap((text) => [
    unscopedName(text.toLowerCase()),
    ...text
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
      .toLowerCase()
      .split(/[^a-z\d]+/),
  ]);
}

const PATH = /^(?:[/~.]|[A-Za-z]:)[^@]*[\\/]/;
const BUILD_FOLDER = /^(?:src|dist|build|lib|out|bin|target|release)$/i;

/** Of a path, the file and the folder of its project: where the user keeps projects says nothing. */
function withoutFolders(word: string): string {
  if (!PATH.test(word)) return word;
  const parts = word.split(/[\\/]/).filter((part) => part !== "" && !BUILD_FOLDER.test(part));
  return parts.slice(-2).join("/");
}

/** The name of a package without its scope and version. */
function unscopedName(text: string): string {
  return text.replace(/^.*\//, "").replace(/(?<=.)@.*$/, "");
}

/** Programs that start other programs, and their subcommands: they say nothing about a server. */
const RUNNER =
  /^(?:.*[\\/])?(?:node|npx|npm|pnpm|pnpx|bunx?|deno|uvx?|python3?|docker|podman|cmd|sh|bash|env|run|exec|dlx|x)(?:\.exe|\.cmd)?$/i;

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
