import { reasonOf } from "../../errors.ts";
import { clientProfile } from "../../protocol/client-profile.ts";
import { type SearchRequest, answerSearch } from "../../search/answer.ts";
import type { ToolboxInfo } from "../../search/types.ts";
import { atMost } from "../../servers/deadline.ts";
import type { Server } from "../../servers/server.ts";
import { NAME, VERSION } from "../../version.ts";
import { inParallel } from "../parallel.ts";
import { type Scope, enabledServersIn } from "../scopes.ts";
import { type IndexSource, SearchIndex } from "./search-index.ts";
import type { Catalogues } from "../catalogue/catalogues.ts";
import type { WorkbenchSettings } from "../../config/types.ts";

/** Servers that are probed at the same time in the background. */
const MAX_BACKGROUND_PROBES = 2;
/** The same while a search waits. */
const MAX_SEARCH_PROBES = 4;
/** How long a search waits for unknown servers, and how much longer if it has found nothing yet. */
const SEARCH_WAITS_MS = [2_000, 8_000];
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
  readonly catalogues: Pick<Catalogues, "known" | "recall" | "complete">;
  readonly closing: boolean;
}

/** Finding tools in all toolboxes, and learning what servers have that nobody has opened yet. */
export class Discovery {
  readonly #workbench: SearchedWorkbench;
  readonly #index: SearchIndex;
  readonly #client = clientProfile("legacy", {}, { name: NAME, version: VERSION });
  readonly #probes = new Map<Server, Probe>();
  readonly #failedAt = new Map<Server, number>();

  constructor(workbench: SearchedWorkbench) {
    this.#workbench = workbench;
    this.#index = new SearchIndex(workbench);
  }

  /** The answer of `search_tools`. */
  async search(scope: Scope, request: SearchRequest): Promise<string> {
    const servers = enabledServersIn(scope).filter(
      ({ settings }) => request.toolbox === undefined || settings.toolbox === request.toolbox,
    );
    await this.#index.update();
    const unseen = this.#toProbe(servers);
    if (unseen.length > 0 && this.#workbench.settings.discovery !== "off")
      await this.#probeAll(unseen, () =>
        this.#index.finds(request.query, new Set(servers.map(toolboxOf))),
      );
    const toolboxes: ToolboxInfo[] = Array.from(scope.values(), ({ settings }) => settings);
    let answer = answerSearch(this.#index.tools, toolboxes, request, (hit) =>
      this.#index.definitionOf(hit),
    );
    const pending = servers.filter((server) => this.#index.isPending(server));
    if (pending.length > 0)
      answer += `\nNot searched yet (still indexing): ${named(pending)}. Search again in a moment`;
    const missing = this.#unknown(servers);
    return missing.length === 0 ? answer : `${answer}\n${this.#missingNote(missing)}`;
  }

  /** Probes servers while a search waits; after some time, a partial result is enough. */
  async #probeAll(servers: readonly Server[], isEnough: () => boolean): Promise<void> {
    const seen = inParallel(servers, MAX_SEARCH_PROBES, (server) => this.#probe(server).seen);
    for (const waitMs of SEARCH_WAITS_MS) {
      await atMost(waitMs, seen);
      await this.#index.update();
      if (isEnough() || this.#unknown(servers).length === 0) return;
    }
  }

  /** Probes all servers of a scope that are not known yet, a few at a time. */
  async learnUnseen(scope: Scope = this.#workbench.toolboxes): Promise<void> {
    const servers = enabledServersIn(scope);
    await Promise.all(servers.map((server) => this.#workbench.catalogues.recall(server)));
    await inParallel(this.#toProbe(servers), MAX_BACKGROUND_PROBES, async (server) => {
      if (!this.#workbench.closing) await this.#probe(server).over;
    });
  }

  /** Probes a server whether it is known or not; rejects if it cannot be connected. */
  async refresh(server: Server, seen: () => void = () => {}): Promise<void> {
    await server.probe(this.#client, async (connection) => {
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
        this.#failedAt.set(server, performance.now());
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

  #unknown(servers: readonly Server[]): Server[] {
    return servers.filter((server) => this.#workbench.catalogues.known(server) === undefined);
  }

  /** The servers to probe: not known, and not known to fail. */
  #toProbe(servers: readonly Server[]): Server[] {
    const now = performance.now();
    return this.#unknown(servers).filter((server) => {
      const failedAt = this.#failedAt.get(server) ?? -Infinity;
      return server.settings.unavailable === undefined && now - failedAt >= PROBE_AGAIN_MS;
    });
  }

  #missingNote(servers: readonly Server[]): string {
    const all = named(servers);
    const unseen = servers.some((server) => this.#probes.has(server));
    return unseen
      ? `Not searched yet (still starting): ${all}. Search again in a moment`
      : `Not searched (never connected): ${all}. open_toolbox connects them`;
  }
}

function toolboxOf({ settings }: Server): string {
  return settings.toolbox;
}

function named(servers: readonly Server[]): string {
  const names = servers
    .slice(0, MAX_NAMED)
    .map(({ settings }) => `${settings.toolbox}/${settings.name}`);
  const more = servers.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
