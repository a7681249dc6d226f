import type { ServerRef } from "../calls/identifier.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import { reasonOf } from "../errors.ts";
import { type ConfigurableLogger, createLogger } from "../log.ts";
import { type Redact, redactor } from "../secrets/redact.ts";
import type { Host } from "../servers/host.ts";
import type { Catalogue } from "../servers/tools/catalogue.ts";
import { Guard } from "../servers/transport/stdio/guard.ts";
import { Catalogues } from "./catalogue/catalogues.ts";
import { examplesFor } from "./catalogue/example-file.ts";
import { serverIdentity } from "./catalogue/server-identity.ts";
import type { ExampleCall } from "./meta-tools/instructions.ts";

/** What all servers of a workbench share, kept up to date with its settings. */
export class WorkbenchHost implements Host {
  readonly log: ConfigurableLogger;
  readonly guard = new Guard();
  readonly memory: Catalogues;
  readonly waitsForDownloads: boolean;
  #settings: WorkbenchSettings;
  #redact: Redact;
  readonly #cache: boolean;
  #examples: readonly ExampleCall[] | undefined;
  #recording: Promise<void> = Promise.resolve();
  readonly #formerSecrets = new Set<string>();

  /** Without a cache, what servers show of themselves is kept in memory only. */
  constructor(settings: WorkbenchSettings, cache: boolean, waitsForDownloads: boolean) {
    this.#settings = settings;
    this.waitsForDownloads = waitsForDownloads;
    this.#redact = redactor(() => settings.secrets);
    this.log = createLogger(settings.log, this.redact);
    this.memory = new Catalogues(
      (server) => serverIdentity(server, settings.file),
      async () => {
        if (!cache) return undefined;
        const { DiskCatalogues } = await import("./catalogue/catalogue-store.ts");
        return new DiskCatalogues(this.redact);
      },
      this.log,
      ({ toolbox, name }, catalogue) => this.#recordExample({ toolbox, server: name }, catalogue),
    );
    this.#cache = cache;
  }

  /** The calls that serve as examples; they are the same until the configuration changes. */
  get examples(): readonly ExampleCall[] {
    this.#examples ??= this.#cache ? examplesFor(this.#settings.file) : [];
    return this.#examples;
  }

  readonly redact: Redact = (text) => this.#redact(text);

  configure(next: WorkbenchSettings): void {
    // Former secrets stay secret: they may still be on their way to a log.
    for (const secret of this.#settings.secrets) this.#formerSecrets.add(secret);
    this.#redact = redactor(() => [...this.#formerSecrets, ...next.secrets]);
    this.log.configure(next.log);
    this.#settings = next;
    this.#examples = undefined;
  }

  /** One at a time, because all are in the same file. */
  async #recordExample(place: ServerRef, catalogue: Catalogue): Promise<void> {
    const { file } = this.#settings;
    if (!this.#cache || file === undefined) return;
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
