import { neededSignIn } from "../../calls/sign-in-error.ts";
import { reasonOf } from "../../errors.ts";
import { ownProfile } from "../../protocol/client-profile.ts";
import { type SearchRequest, answerSearch } from "../../search/answer.ts";
import type { Hit, ToolboxInfo } from "../../search/types.ts";
import { atMost } from "../../servers/deadline.ts";
import { type ListName, includesList } from "../../servers/server-memory.ts";
import type { Server } from "../../servers/server.ts";
import { inParallel } from "../parallel.ts";
import { type Scope, enabledServersIn, firstNames } from "../scopes.ts";
import { type IndexSource, SearchIndex } from "./search-index.ts";
import type { Catalogues } from "../catalogue/catalogues.ts";
import { mayPrompt } from "../../config/prompting-secrets.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import type { ToolboxView } from "../../toolboxes/toolbox.ts";

/** Servers that are probed at the same time in the background. */
const MAX_BACKGROUND_PROBES = 2;
/** The same while a search waits. */
const MAX_SEARCH_PROBES = 4;
/** How long a search waits for unknown servers, and how much longer if it has found nothing yet. */
const SEARCH_WAIT_MS = 2_000;
const EMPTY_SEARCH_WAIT_MS = 8_000;
/** How long a list waits for unknown servers. */
const LIST_WAIT_MS = 5_000;
/** A server that could not be probed is not tried again for this long. */
const PROBE_AGAIN_MS = 60_000;
const MAX_NAMED = 3;

/** A probe of a server. Never rejects. */
interface Probe {
  /** Its tools are known, or it cannot be connected. */
  readonly seen: Promise<void>;
  /** The connection has been released. */
  readonly over: Promise<void>;
}

/** The workbench whose tools are searched. */
export interface SearchedWorkbench extends IndexSource {
  readonly settings: Pick<WorkbenchSettings, "discovery">;
  readonly catalogues: Pick<
    Catalogues,
    "known" | "isKnown" | "loadAll" | "version" | "complete" | "isUnreachable" | "markUnreachable"
  >;
  readonly closing: boolean;
}

/** Finding tools in all toolboxes, and learning what servers offer that no client has opened yet. */
export class Discovery {
  readonly #workbench: SearchedWorkbench;
  readonly #toolboxes: Scope;
  readonly #index: SearchIndex;
  readonly #client = ownProfile();
  readonly #probes = new Map<Server, Probe>();
  readonly #failedAt = new Map<Server, number>();
  /** The unknown servers that a search has waited for. A server delays only one. */
  readonly #awaited = new WeakSet<Server>();

  /** `toolboxes` are those that are searched; clients may see them all or some of them. */
  constructor(workbench: SearchedWorkbench, toolboxes: Scope = workbench.toolboxes) {
    const { catalogues, host } = workbench;
    this.#workbench = workbench;
    this.#toolboxes = toolboxes;
    this.#index = new SearchIndex({ toolboxes, catalogues, host });
  }

  /** The answer of `search_tools`; `shown` takes the definitions that it contains. */
  async search(
    scope: Scope,
    request: SearchRequest,
    shown: (definition: string) => string = (definition) => definition,
  ): Promise<string> {
    const servers = enabledServersIn(scope).filter(
      ({ settings }) => request.toolbox === undefined || settings.toolbox === request.toolbox,
    );
    await this.#index.update();
    let missing = this.#unknown(servers);
    const unseen = this.#toProbe(missing);
    if (unseen.length > 0 && this.#workbench.settings.discovery !== "off") {
      await this.#probeAll(unseen, () =>
        this.#index.finds(request.query, new Set(servers.map(toolboxOf))),
      );
      missing = this.#unknown(servers);
    }
    const toolboxes: ToolboxInfo[] = this.#worthOpening(scope).map(({ settings }) => settings);
    let answer = answerSearch(this.#index.tools, toolboxes, request, (hit) =>
      shown(this.#index.definitionOf(hit)),
    );
    const pending = this.#index.pending(servers);
    if (pending.length > 0)
      answer += `\nNot searched yet (still indexing): ${named(pending)}. Search again in a moment`;
    return missing.length === 0 ? answer : `${answer}\n${this.#missingNote(missing)}`;
  }

  /** The best matches for a query among the tools that are known. No server is started for it. */
  async hits(...search: Parameters<SearchIndex["tools"]["search"]>): Promise<readonly Hit[]> {
    await this.#index.update();
    return this.#index.tools.search(...search);
  }

  /**
   * Probes servers while a search waits; after some time, a partial result is enough. Servers that
   * did not connect while an earlier search waited are probed in the background. If an earlier
   * process found that, they are still worth waiting for if nothing is found without them.
   */
  async #probeAll(servers: readonly Server[], isEnough: () => boolean): Promise<void> {
    const { catalogues } = this.#workbench;
    const fresh = servers.filter((server) => !this.#awaited.has(server));
    const hopeful = fresh.filter((server) => !catalogues.isUnreachable(server));
    const others = servers.filter((server) => !hopeful.includes(server));
    const seen = this.#seen(hopeful);
    const isDone = async (): Promise<boolean> => {
      await this.#index.update();
      return isEnough() || this.#unknown(fresh).length === 0;
    };
    if (hopeful.length > 0) await atMost(SEARCH_WAIT_MS, seen);
    const seenOthers = this.#seen(others);
    const waitsForAll = fresh.length > 0 && !(await isDone());
    if (waitsForAll) {
      await atMost(EMPTY_SEARCH_WAIT_MS, Promise.all([seen, seenOthers]));
      await this.#index.update();
    }
    for (const server of this.#unknown(waitsForAll ? fresh : hopeful)) {
      // One that is still in the queue has not had its chance.
      if (!this.#probes.has(server) && !this.#failedAt.has(server)) continue;
      this.#awaited.add(server);
      catalogues.markUnreachable(server);
    }
  }

  /** Probes servers, a few at a time. Resolves when each is known or cannot be connected. */
  #seen(servers: readonly Server[]): Promise<void> {
    return inParallel(servers, MAX_SEARCH_PROBES, async (server) => {
      // An earlier search may have started a probe that has ended in the meantime.
      if (this.#toProbe([server]).length > 0) await this.#probe(server).seen;
    });
  }

  /** Probes all servers of a scope that are not known yet, a few at a time. */
  async probeUnknown(scope: Scope = this.#toolboxes): Promise<void> {
    const servers = enabledServersIn(scope);
    await this.#workbench.catalogues.loadAll(servers);
    await inParallel(this.#toProbe(servers), MAX_BACKGROUND_PROBES, async (server) => {
      if (!this.#workbench.closing) await this.#probe(server).over;
    });
  }

  /**
   * Learns a list of servers that is not known, as a search learns their tools, and returns the servers
   * of which it is still unknown. Each of them is waited for once.
   */
  async learn(servers: readonly Server[], list: ListName): Promise<readonly Server[]> {
    const { catalogues, settings } = this.#workbench;
    await catalogues.loadAll(servers);
    const lacking = (): Server[] =>
      servers.filter((server) => {
        const known = catalogues.known(server);
        return known === undefined || !includesList(known, list);
      });
    const toProbe = settings.discovery === "off" ? [] : this.#mayProbe(lacking());
    const isAwaited = (server: Server): boolean =>
      !this.#awaited.has(server) && !catalogues.isUnreachable(server);
    const learn = (some: readonly Server[]): Promise<void> =>
      inParallel(some, MAX_SEARCH_PROBES, async (server) => {
        await this.#probe(server).over;
        // It does not answer with the list that it has declared.
        if (lacking().includes(server)) this.#failedAt.set(server, performance.now());
      });
    const awaited = toProbe.filter(isAwaited);
    const learned = learn(awaited);
    void learn(toProbe.filter((server) => !isAwaited(server)));
    if (awaited.length > 0) await atMost(LIST_WAIT_MS, learned);
    const missing = lacking();
    for (const server of awaited) if (missing.includes(server)) this.#awaited.add(server);
    return missing;
  }

  /** Probes a server whether it is known or not; rejects if it cannot be connected. */
  async refresh(server: Server, seen: () => void = () => {}): Promise<void> {
    await server.probe(this.#client, async (connection) => {
      if (connection.toolsProblem !== undefined) await server.whenListed(connection);
      seen();
      await this.#workbench.catalogues.complete(server, connection);
    });
  }

  #probe(server: Server): Probe {
    const running = this.#probes.get(server);
    if (running !== undefined) return running;
    let seen = (): void => {};
    const known = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const over = this.refresh(server, seen)
      .catch((error: unknown) => {
        // After the sign-in it is probed at once.
        if (neededSignIn(error) === undefined) this.#failedAt.set(server, performance.now());
        this.#workbench.host.log.info(`not indexed: ${reasonOf(error)}`);
      })
      .finally(() => {
        this.#probes.delete(server);
        seen();
      });
    const probe = { seen: known, over };
    this.#probes.set(server, probe);
    return probe;
  }

  /** The toolboxes without those whose servers are disabled, or unknown because they cannot be connected. */
  #worthOpening(scope: Scope): ToolboxView[] {
    const isDead = (server: Server): boolean =>
      hasFailed(server) && !this.#workbench.catalogues.isKnown(server);
    return [...scope.values()].filter(({ servers }) => {
      for (const server of servers.values())
        if (!server.settings.disabled && !isDead(server)) return true;
      return false;
    });
  }

  #unknown(servers: readonly Server[]): Server[] {
    return servers.filter((server) => !this.#workbench.catalogues.isKnown(server));
  }

  #toProbe(servers: readonly Server[]): Server[] {
    return this.#mayProbe(this.#unknown(servers));
  }

  /** The servers that are not known to fail, and whose start prompts for nothing. */
  #mayProbe(servers: readonly Server[]): Server[] {
    const now = performance.now();
    return servers.filter((server) => {
      const failedAt = this.#failedAt.get(server) ?? -Infinity;
      const { settings } = server;
      if (settings.unavailable !== undefined || mayPrompt(settings)) return false;
      if (server.state === "needs-auth") return false;
      return now - failedAt >= PROBE_AGAIN_MS;
    });
  }

  #missingNote(servers: readonly Server[]): string {
    const starting: Server[] = [];
    const failed: Server[] = [];
    const idle: Server[] = [];
    const signedOut: Server[] = [];
    for (const server of servers) {
      if (this.#probes.has(server)) starting.push(server);
      else if (server.state === "needs-auth") signedOut.push(server);
      else if (hasFailed(server) || this.#failedAt.has(server)) failed.push(server);
      else if (this.#workbench.settings.discovery === "off" || mayPrompt(server.settings))
        idle.push(server);
      else starting.push(server);
    }
    const isDownloading = starting.some(({ state }) => state === "downloading");
    const when = isDownloading ? "in about 20 s" : "in a moment";
    const lines = [];
    if (starting.length > 0)
      lines.push(`Not searched yet (still starting): ${named(starting)}. Search again ${when}`);
    if (failed.length > 0) lines.push(`Not searched (failed to connect): ${named(failed)}`);
    if (signedOut.length > 0)
      lines.push(
        `Not searched (the user has to sign in): ${named(signedOut)}. open_toolbox says how`,
      );
    if (idle.length > 0)
      lines.push(`Not searched (never connected): ${named(idle)}. open_toolbox connects them`);
    return lines.join("\n");
  }
}

function toolboxOf({ settings }: Server): string {
  return settings.toolbox;
}

function hasFailed({ settings, failures }: Server): boolean {
  return settings.unavailable !== undefined || failures.lastError !== undefined;
}

const named = (servers: readonly Server[]): string => firstNames(servers, MAX_NAMED);
