import type { ClusterLink } from "../cluster/cluster-link.ts";
import type { ServerRef } from "../calls/identifier.ts";
import type { ServerSettings, WorkbenchSettings } from "../config/types.ts";
import { reasonOf } from "../errors.ts";
import { type ConfigurableLogger, type Logger, createLogger } from "../log.ts";
import { type Redact, redactor } from "../secrets/redact.ts";
import type { Host } from "../servers/host.ts";
import type { Catalogue } from "../servers/tools/catalogue.ts";
import { Guard } from "../servers/transport/stdio/guard.ts";
import { Catalogues } from "./catalogue/catalogues.ts";
import { examplesFor } from "./catalogue/example-file.ts";
import { serverIdentity } from "../config/server-identity.ts";
import { WorkbenchPins } from "./pins/workbench-pins.ts";
import type { ExampleCall } from "./meta-tools/instructions.ts";
import { OnDemand } from "./on-demand.ts";

/** Former tokens stay secret for a while: they may be on their way to a log. */
const MAX_TOKENS = 400;

export interface HostOptions {
  readonly waitsForDownloads?: boolean;
  /** Called with secrets that servers got, before they are used. */
  readonly onSecrets?: (values: readonly string[]) => void;
  /** Called when the approved definitions have changed. */
  readonly onPinsChanged?: () => void;
  /** What is known of the tools with pages of a server has changed. */
  readonly onLearned?: () => void;
  readonly openScripts?: Host["openScripts"];
  /** Connects to the other replicas of the workbench. */
  readonly openCluster?: ((log: Logger) => ClusterLink | undefined) | undefined;
  /** The same for a command, which only uses the servers that replicas run. */
  readonly placing?: Host["placing"];
}

/** What all servers of a workbench share, kept up to date with its settings. */
export class WorkbenchHost implements Host {
  /** Distinguishes this workbench from others, which may be servers of this one. */
  readonly instance = crypto.randomUUID().slice(0, 8);
  readonly log: ConfigurableLogger;
  readonly guard = new Guard();
  readonly memory: Catalogues;
  readonly waitsForDownloads: boolean;
  readonly openScripts: Host["openScripts"];
  /** The other replicas; undefined if this workbench is the only one. */
  readonly cluster: ClusterLink | undefined;
  readonly placing: Host["placing"];
  /** False if clients over HTTP may be on other machines, where links to this one lead nowhere. */
  areClientsLocal = true;
  /** Where browsers reach the workbench, without a path; set by the HTTP front. */
  publicAddress: (() => string | undefined) | undefined;
  readonly signIns = new OnDemand(async () => {
    const { WorkbenchSignIns } = await import("./sign-in/workbench-sign-ins.ts");
    return new WorkbenchSignIns(this, () => this.#settings);
  });
  readonly pins: WorkbenchPins;
  readonly #secrets = new OnDemand(async () => {
    const { HostSecrets } = await import("./host-secrets.ts");
    const { log, guard } = this;
    return new HostSecrets({ log, guard }, (values) => {
      for (const value of values) this.#hidden.add(value);
      this.#redact = this.#newRedact();
      this.#onSecrets(values);
    });
  });
  readonly #onSecrets: (values: readonly string[]) => void;
  #settings: WorkbenchSettings;
  #redact: Redact;
  /** Whether what servers show of themselves is kept on disk. */
  readonly usesCache: boolean;
  #examples: readonly ExampleCall[] | undefined;
  #recording: Promise<void> = Promise.resolve();
  readonly #formerSecrets = new Set<string>();
  /** Every secret that a server got. */
  readonly #hidden = new Set<string>();
  /** Tokens and the like, which are not in the settings; the oldest first. */
  readonly #tokens = new Set<string>();

  /** Without a cache, what servers show of themselves is kept in memory only. */
  constructor(
    settings: WorkbenchSettings,
    cache: boolean,
    {
      waitsForDownloads = false,
      onSecrets = () => {},
      onPinsChanged = () => {},
      onLearned = () => {},
      openScripts,
      openCluster,
      placing,
    }: HostOptions = {},
  ) {
    this.openScripts = openScripts;
    this.#settings = settings;
    this.waitsForDownloads = waitsForDownloads;
    this.#redact = this.#newRedact();
    this.log = createLogger(settings.log, this.redact);
    this.#onSecrets = onSecrets;
    const cluster = openCluster?.(this.log);
    this.cluster = cluster;
    this.placing = cluster === undefined ? placing : () => Promise.resolve(cluster);
    this.pins = new WorkbenchPins(settings, this.log, onPinsChanged);
    this.memory = new Catalogues(
      (server) => serverIdentity(server, settings.file),
      async () => {
        if (!cache) return undefined;
        if (this.cluster !== undefined) {
          const { SharedCatalogues } = await import("./catalogue/shared-catalogues.ts");
          return new SharedCatalogues(this.cluster, this.redact);
        }
        const { DiskCatalogues } = await import("./catalogue/catalogue-store.ts");
        return new DiskCatalogues(this.redact);
      },
      this.log,
      ({ toolbox, name }, catalogue) => this.#recordExample({ toolbox, server: name }, catalogue),
      this.pins,
      onLearned,
    );
    this.usesCache = cache;
  }

  /** The calls that serve as examples; they are the same until the configuration changes. */
  get examples(): readonly ExampleCall[] {
    this.#examples ??= this.usesCache ? examplesFor(this.#settings.file) : [];
    return this.#examples;
  }

  readonly redact: Redact = (text) => this.#redact(text);

  readonly withSecrets = async (
    settings: ServerSettings,
    use: "start" | "sign-in",
  ): Promise<ServerSettings> => {
    const secrets = await this.#secrets.load();
    return use === "start" ? secrets.start(settings) : secrets.resolve(settings);
  };

  /** Whether a running server would get other values of its secrets now. */
  async haveSecretsChanged(settings: ServerSettings): Promise<boolean> {
    if (settings.secretTexts.length === 0) return false;
    return (await this.#secrets.load()).haveChanged(settings);
  }

  /** Resolves when no token is about to be stored. */
  async close(): Promise<void> {
    void this.#secrets.ifLoaded((secrets) => secrets.close());
    this.pins.close();
    await this.signIns.ifLoaded((signIns) => signIns.close());
    // The last tokens are stored through it.
    void this.cluster?.close();
  }

  configure(next: WorkbenchSettings): void {
    // Former secrets stay secret: they may still be on their way to a log.
    for (const secret of this.#settings.secrets) this.#formerSecrets.add(secret);
    this.#settings = next;
    this.#redact = this.#newRedact();
    this.log.configure(next.log);
    this.pins.configure(next);
    this.#examples = undefined;
  }

  #newRedact(): Redact {
    return redactor(() => [
      ...this.#formerSecrets,
      ...this.#settings.secrets,
      ...this.#tokens,
      ...this.#hidden,
    ]);
  }

  /** Hides further values from now on, in addition to those in the settings. */
  readonly redactValues = (values: readonly string[]): void => {
    if (values.every((value) => this.#tokens.has(value))) return;
    for (const value of values) {
      this.#tokens.delete(value);
      this.#tokens.add(value);
    }
    for (const oldest of this.#tokens) {
      if (this.#tokens.size <= MAX_TOKENS) break;
      this.#tokens.delete(oldest);
    }
    this.#redact = this.#newRedact();
  };

  /** One at a time, because all are in the same file. */
  async #recordExample(place: ServerRef, catalogue: Catalogue): Promise<void> {
    const { file } = this.#settings;
    if (!this.usesCache || file === undefined) return;
    this.#recording = this.#recording.then(async () => {
      try {
        const { recordExample } = await import("./catalogue/record-example.ts");
        await recordExample(file, place, catalogue);
      } catch (error) {
        this.log.debug(`could not record an example call: ${reasonOf(error)}`);
      }
    });
    await this.#recording;
  }
}
