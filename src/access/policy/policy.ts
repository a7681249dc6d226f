import type { CallableTool } from "../../calls/destination.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { type Principal, onlyReadsAt } from "../../calls/principal.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { serverKey } from "../../config/server-key.ts";
import { type Level, dependOnClient, levelsOf } from "./levels.ts";
import { deniesOthers, deniesServer } from "./server-access.ts";
import { factsOf, factsOfUnknown } from "./tool-facts.ts";
import { type Verdict, verdictFor } from "./verdict.ts";

/** What is known about the tools of a catalogue, for one principal. */
interface Verdicts {
  readonly byName: Map<string, Verdict>;
  seen: SeenTools | undefined;
}

/** Principals with own names may come and go, so only this many are remembered per catalogue. */
const MAX_PRINCIPALS = 200;

const NONE: ReadonlyMap<string, string> = new Map();

/** The policy of a configuration. What it says about a tool is worked out once. */
export class Policy {
  readonly settings: WorkbenchSettings;
  readonly #servers = new Map<string, ServerPolicy>();

  constructor(settings: WorkbenchSettings) {
    this.settings = settings;
  }

  /** The policy of a server; undefined if the configuration does not have the server. */
  of({ toolbox, server }: ServerRef): ServerPolicy | undefined {
    const key = serverKey(toolbox, server);
    const known = this.#servers.get(key);
    if (known !== undefined) return known;
    const settings = this.settings.toolboxes.get(toolbox)?.servers.get(server);
    if (settings === undefined) return undefined;
    const policy = new ServerPolicy(settings, levelsOf(this.settings, settings));
    this.#servers.set(key, policy);
    return policy;
  }
}

/** What the policy says about one server. */
export class ServerPolicy {
  readonly #settings: ServerSettings;
  readonly #levels: readonly Level[];
  readonly #dependsOnClient: boolean;
  readonly #verdicts = new WeakMap<SeenTools, Map<string, Verdicts>>();

  constructor(settings: ServerSettings, levels: readonly Level[]) {
    this.#settings = settings;
    this.#levels = levels;
    this.#dependsOnClient = dependOnClient(levels);
  }

  /** Whether everything is allowed to a principal. */
  allowsAll(principal: Principal): boolean {
    return this.#levels.length === 0 && !this.#isReader(principal);
  }

  /** Whether a principal may use nothing of the server: it must not even know that it exists. */
  hides(principal: Principal): boolean {
    return deniesServer(this.#levels, principal);
  }

  /** Whether a principal may not use the prompts and resources of the server. */
  deniesOthers(principal: Principal): boolean {
    return deniesOthers(this.#levels, principal);
  }

  /** Whether a principal may only read: what a method of the server's own does, is unknown. */
  onlyReads(principal: Principal): boolean {
    return this.#isReader(principal) || this.#levels.some((level) => level.readOnly);
  }

  /** What applies to a tool; undefined if the server does not list it. */
  verdict(catalogue: SeenTools, name: string, principal: Principal): Verdict | undefined {
    const { byName } = this.#verdictsOf(catalogue, principal);
    const known = byName.get(name);
    if (known !== undefined) return known;
    const tool = catalogue.tools.get(name);
    if (tool === undefined) return undefined;
    const verdict = verdictFor(
      this.#levels,
      factsOf(name, tool, this.#settings),
      this.#here(principal),
    );
    byName.set(name, verdict);
    return verdict;
  }

  /** The tools that a principal sees; the same object if it sees all. */
  seen<T extends CallableTool>(catalogue: SeenTools<T>, principal: Principal): SeenTools<T> {
    if (this.allowsAll(principal)) return catalogue;
    const verdicts = this.#verdictsOf(catalogue, principal);
    verdicts.seen ??= this.#select(catalogue, principal);
    return verdicts.seen as SeenTools<T>;
  }

  #select<T extends CallableTool>(catalogue: SeenTools<T>, principal: Principal): SeenTools<T> {
    const tools = new Map<string, T>();
    for (const [name, tool] of catalogue.tools)
      if (this.verdict(catalogue, name, principal)?.isHidden === false) tools.set(name, tool);
    const withheld = this.#withheldFrom(catalogue, principal);
    const isAll =
      tools.size === catalogue.tools.size && withheld.size === (catalogue.withheld?.size ?? 0);
    return isAll ? catalogue : { tools, withheld };
  }

  /** That a tool waits for an approval must not disclose it. */
  #withheldFrom({ withheld = NONE }: SeenTools, principal: Principal): Map<string, string> {
    const here = this.#here(principal);
    const isShown = ([name]: readonly [string, string]): boolean =>
      !verdictFor(this.#levels, factsOfUnknown(name, this.#settings), here).isHidden;
    return new Map([...withheld].filter(isShown));
  }

  #isReader(principal: Principal): boolean {
    const { toolbox, name: server } = this.#settings;
    return onlyReadsAt(principal, { toolbox, server });
  }

  /** The principal with what it may do at this server. */
  #here(principal: Principal): Pick<Principal, "name" | "readOnly"> {
    return { name: principal.name, readOnly: this.#isReader(principal) };
  }

  #verdictsOf(catalogue: SeenTools, principal: Principal): Verdicts {
    const { name, readOnly } = this.#here(principal);
    let byPrincipal = this.#verdicts.get(catalogue);
    if (byPrincipal === undefined) this.#verdicts.set(catalogue, (byPrincipal = new Map()));
    const key = `${readOnly ? "r" : "w"}${this.#dependsOnClient ? name : ""}`;
    const known = byPrincipal.get(key);
    if (known !== undefined) return known;
    if (byPrincipal.size >= MAX_PRINCIPALS) byPrincipal.clear();
    const verdicts: Verdicts = { byName: new Map(), seen: undefined };
    byPrincipal.set(key, verdicts);
    return verdicts;
  }
}
