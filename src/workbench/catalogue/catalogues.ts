import type { Eras } from "../../protocol/client-profile.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { isPerUser } from "../../config/per-user.ts";
import type { ServerSettings } from "../../config/types.ts";
import type { Logger } from "../../log.ts";
import {
  type DefinitionPins,
  type PinSource,
  type ReviewedTools,
  shownItems,
} from "../../servers/definition-pins.ts";
import { ownInstructions } from "../../servers/handshake/server-hello.ts";
import { Slices } from "../../servers/slices.ts";
import { listAll } from "../../servers/requests/list-all.ts";
import type { ListedItem } from "../../servers/requests/list-reader.ts";
import { type Catalogue, catalogueOf } from "../../servers/tools/catalogue.ts";
import { within } from "../../servers/deadline.ts";
import {
  type KnownServer,
  LIST_METHODS,
  type ListName,
  offersList,
  type CachedServer,
  type RememberedConnection,
  type RememberedServer,
  type ServerMemory,
} from "../../servers/server-memory.ts";

/** Where catalogues are stored across runs. */
export interface CatalogueStore {
  read(identity: string): Promise<KnownServer | "unreachable" | undefined>;
  write(identity: string, known: KnownServer): Promise<void>;
  writeUnreachable(identity: string): Promise<void>;
  /** Calls back when another process may have learned something else about a server that was read or written here. */
  follow?(onChanged: (identity: string) => void): void;
}

/** Called when the catalogue of a server has been written. Never rejects. */
export type OnSaved = (settings: ServerSettings, catalogue: Catalogue) => Promise<void>;

/** How long after a change the catalogue is written; changes come in bursts. */
const SAVE_AFTER_MS = 1000;

/** A hanging disk must not block the use of a server or the exit of the program. */
const DISK_MS = 1000;
const diskIsSilent = (): Error => new Error("the disk does not respond");

/** What is known about one server, as long as its configuration means the same server. */
class Entry {
  readonly identity: string;
  settings: ServerSettings;
  known: KnownServer | undefined;
  /** True if the server did not connect in time, now or in an earlier run. */
  isUnreachable = false;
  /** What an earlier run stored, once it has been read. */
  inherited: KnownServer | undefined;
  reading: Promise<void> | undefined;
  /** Set while there are changes that are not on disk yet. */
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void> = Promise.resolve();
  catalogue: Catalogue | undefined;
  /** The approvals that the catalogue takes into account. */
  pins: DefinitionPins | undefined;
  /** The result of `known`, and what it was made of: each search asks for that of every server. */
  shown: CachedServer | undefined;
  shownOf: KnownServer | undefined;
  readonly reported = new Set<string>();

  constructor(identity: string, settings: ServerSettings) {
    this.identity = identity;
    this.settings = settings;
  }
}

/**
 * What the servers have listed: in this run, or in an earlier run if it is on disk. Only readers of
 * stored catalogues wait for the disk, and a disk failure costs no more than asking the server
 * again.
 */
export class Catalogues implements ServerMemory {
  readonly #identityOf: (settings: ServerSettings) => string;
  readonly #openStore: () => Promise<CatalogueStore | undefined>;
  readonly #log: Logger;
  readonly #onSaved: OnSaved;
  readonly #pins: PinSource | undefined;
  readonly #onLearned: () => void;
  /** Forgotten with the server, when the configuration has it no more. */
  readonly #entries = new WeakMap<RememberedServer, Entry>();
  /** What is not on disk yet. */
  readonly #unsaved = new Set<Entry>();
  /** The lists that came over each connection. */
  readonly #listed = new WeakMap<RememberedConnection, Set<ListName>>();
  /** The servers about which another replica may have learned something. */
  readonly #outdated = new Set<string>();
  #store: Promise<CatalogueStore | undefined> | undefined;
  #version = 0;
  #versionPins: DefinitionPins | undefined;

  constructor(
    identityOf: (settings: ServerSettings) => string,
    openStore: () => Promise<CatalogueStore | undefined>,
    log: Logger,
    onSaved: OnSaved = () => Promise.resolve(),
    pins?: PinSource,
    onLearned: () => void = () => {},
  ) {
    this.#identityOf = identityOf;
    this.#openStore = openStore;
    this.#log = log;
    this.#onSaved = onSaved;
    this.#pins = pins;
    this.#onLearned = onLearned;
  }

  /** Another number whenever `known` may return something else for a server with the same settings. */
  get version(): number {
    const pins = this.#pins?.current;
    if (pins !== this.#versionPins) this.#version++;
    this.#versionPins = pins;
    return this.#version;
  }

  async load(server: RememberedServer): Promise<CachedServer | undefined> {
    const entry = this.#entryOf(server);
    if (this.#outdated.delete(entry.identity)) await (entry.reading = this.#read(entry, true));
    else if (entry.known === undefined) await (entry.reading ??= this.#read(entry));
    if (this.#pins !== undefined && entry.known !== undefined) {
      await this.#pins.load();
      await this.#pins.current?.prepareTools(entry.known.tools, new Slices());
    }
    return this.known(server);
  }

  /** The same for many servers. Waits for none if all are known, which is usual. */
  async loadAll(servers: Iterable<RememberedServer>): Promise<void> {
    const loading: Promise<unknown>[] = [];
    for (const server of servers)
      if (this.#pins !== undefined || !this.isKnown(server) || this.#isOutdated(server))
        loading.push(this.load(server));
    if (loading.length > 0) await Promise.all(loading);
  }

  /** What is known of a server without looking at the disk. */
  known(server: RememberedServer): CachedServer | undefined {
    const entry = this.#entryOf(server);
    if (entry.known === undefined) return undefined;
    const pins = this.#pins?.current;
    if (entry.pins !== pins) entry.catalogue = undefined;
    entry.pins = pins;
    const { catalogue, shown } = entry;
    if (catalogue !== undefined && shown?.catalogue === catalogue && entry.shownOf === entry.known)
      return shown;
    const { tools, instructions } = entry.known;
    const place = placeOf(entry.settings);
    const reviewed = (): ReviewedTools | undefined => pins?.reviewTools(place, tools, instructions);
    entry.catalogue ??= catalogueOf(tools, entry.settings, reviewed());
    const known = { ...entry.known, catalogue: entry.catalogue };
    entry.shownOf = entry.known;
    entry.shown = pins?.isEnforced === true ? approvedPart(known, place, pins) : known;
    return entry.shown;
  }

  isKnown(server: RememberedServer): boolean {
    return this.#entryOf(server).known !== undefined;
  }

  /** Whether a server of which nothing is known did not connect while a search waited for it. */
  isUnreachable(server: RememberedServer): boolean {
    return this.#entryOf(server).isUnreachable;
  }

  /** A search has waited for a server in vain; later ones, also of other processes, need not. */
  markUnreachable(server: RememberedServer): void {
    const entry = this.#entryOf(server);
    if (entry.known !== undefined || entry.isUnreachable) return;
    entry.isUnreachable = true;
    this.#unsaved.add(entry);
    this.#save(entry);
  }

  update(server: RememberedServer, connection: RememberedConnection): void {
    const entry = this.#entryOf(server);
    this.#version++;
    const { serverInfo, capabilities } = connection.hello;
    entry.known = {
      eras: erasWorthKeeping(server.eras, serverInfo, entry.inherited),
      serverInfo,
      capabilities,
      instructions: ownInstructions(connection.hello),
      tools: connection.catalogue.rawTools,
      others: entry.known?.others ?? new Map(),
    };
    const hadUi = entry.catalogue?.hasUi === true;
    entry.catalogue = connection.catalogue;
    entry.pins = this.#pins?.current;
    this.#report(entry, connection);
    this.#saveLater(server, entry, connection);
    if (hadUi || connection.catalogue.hasUi) this.#onLearned();
  }

  learnList(
    server: RememberedServer,
    connection: RememberedConnection,
    list: ListName,
    items: readonly ListedItem[],
  ): void {
    const entry = this.#entryOf(server);
    this.#listedOn(connection).add(list);
    if (entry.known === undefined) return;
    this.#version++;
    entry.known = { ...entry.known, others: new Map(entry.known.others).set(list, items) };
    this.#saveLater(server, entry, connection);
  }

  /** Asks a server for the lists that have not been requested on this connection yet. */
  async complete(server: RememberedServer, connection: RememberedConnection): Promise<void> {
    for (const list of Object.keys(LIST_METHODS) as ListName[]) {
      const { method } = LIST_METHODS[list];
      if (connection.closed || this.#listedOn(connection).has(list)) continue;
      if (!offersList(connection.hello.capabilities, list)) continue;
      this.#listedOn(connection).add(list);
      const items = await listAll(connection, method, list).catch(() => undefined);
      if (items !== undefined) this.learnList(server, connection, list, items);
    }
  }

  /** Writes pending changes, as far as the disk allows. */
  async flush(): Promise<void> {
    const entries = [...this.#unsaved];
    for (const entry of entries) if (entry.timer !== undefined) this.#save(entry);
    const written = async (): Promise<void> => {
      await Promise.all(entries.map(({ writing }) => writing));
    };
    await within(DISK_MS, diskIsSilent, written).catch(() => undefined);
  }

  #isOutdated(server: RememberedServer): boolean {
    return this.#outdated.size > 0 && this.#outdated.has(this.#entryOf(server).identity);
  }

  #entryOf(server: RememberedServer): Entry {
    const { settings } = server;
    const known = this.#entries.get(server);
    if (known?.settings === settings) return known;
    const identity = this.#identityOf(settings);
    const same = known?.identity === identity ? known : undefined;
    const entry = same ?? new Entry(identity, settings);
    // The configuration may show the same tools differently now.
    entry.settings = settings;
    entry.catalogue = undefined;
    this.#entries.set(server, entry);
    return entry;
  }

  /** @param isNewer whether what is stored replaces what is known */
  async #read(entry: Entry, isNewer = false): Promise<void> {
    const read = async (): Promise<void> => {
      const store = await this.#opened();
      const stored = await store?.read(entry.identity);
      if (stored === "unreachable") entry.isUnreachable = true;
      else entry.inherited = stored;
      // What this process has learned in the meantime is newer still.
      if (isNewer && entry.inherited !== undefined && entry.timer === undefined) {
        entry.known = entry.inherited;
        entry.catalogue = undefined;
      }
      entry.known ??= entry.inherited;
      this.#version++;
    };
    // A missing or unreadable catalogue has to be requested from the server.
    await within(DISK_MS, diskIsSilent, read).catch(() => undefined);
  }

  #saveLater(server: RememberedServer, entry: Entry, connection: RememberedConnection): void {
    this.#unsaved.add(entry);
    entry.timer ??= setTimeout(() => {
      this.#save(entry);
      void this.complete(server, connection);
    }, SAVE_AFTER_MS).unref();
  }

  #save(entry: Entry): void {
    clearTimeout(entry.timer);
    entry.timer = undefined;
    entry.writing = entry.writing.then(async () => {
      const store = await this.#opened();
      const { identity, known } = entry;
      const written = known ? store?.write(identity, known) : store?.writeUnreachable(identity);
      await written?.catch((error: unknown) => {
        this.#log.debug(`could not write the catalogue cache: ${String(error)}`);
      });
      // What is shown to one user must not become an example for all.
      if (known !== undefined && entry.catalogue !== undefined && !isPerUser(entry.settings))
        await this.#onSaved(entry.settings, entry.catalogue);
      if (entry.timer === undefined) this.#unsaved.delete(entry);
    });
  }

  #opened(): Promise<CatalogueStore | undefined> {
    this.#store ??= this.#openStore().then(
      (store) => {
        store?.follow?.((identity) => {
          this.#outdated.add(identity);
          this.#version++;
        });
        return store;
      },
      (error: unknown) => {
        this.#log.warn(`the catalogue cache is not available: ${String(error)}`);
        return undefined;
      },
    );
    return this.#store;
  }

  #listedOn(connection: RememberedConnection): Set<ListName> {
    const known = this.#listed.get(connection);
    if (known !== undefined) return known;
    const lists = new Set<ListName>();
    this.#listed.set(connection, lists);
    return lists;
  }

  #report({ reported }: Entry, { catalogue, place }: RememberedConnection): void {
    for (const problem of catalogue.problems) {
      if (!reported.has(problem)) this.#log.warn(problem, place);
      reported.add(problem);
    }
  }
}

function placeOf({ toolbox, name }: ServerSettings): ServerRef {
  return { toolbox, server: name };
}

/** What is known of a server, without what the user has not approved. */
function approvedPart(known: CachedServer, place: ServerRef, pins: DefinitionPins): CachedServer {
  const { instructions, others } = known;
  const isApproved = instructions === undefined || pins.approvesInstructions(place, instructions);
  const lists = Array.from(
    others,
    ([list, items]) => [list, shownItems({ current: pins }, place, list, items)] as const,
  );
  return {
    ...known,
    serverInfo: withoutTexts(known.serverInfo),
    instructions: isApproved ? instructions : undefined,
    others: new Map(lists),
  };
}

/** What a server says about itself is not pinned, so a model does not get it from servers whose definitions are. */
function withoutTexts(serverInfo: KnownServer["serverInfo"]): KnownServer["serverInfo"] {
  const { title: _t, description: _d, ...rest } = serverInfo;
  return rest;
}

/** A new version of a server may use another era; the next run finds out. */
function erasWorthKeeping(
  eras: Eras,
  serverInfo: KnownServer["serverInfo"],
  inherited: KnownServer | undefined,
): Eras {
  if (inherited === undefined) return new Map(eras);
  const same = JSON.stringify(inherited.serverInfo) === JSON.stringify(serverInfo);
  return new Map([...eras].filter(([client]) => same || !inherited.eras.has(client)));
}
