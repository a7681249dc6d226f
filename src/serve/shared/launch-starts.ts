import { parseConfig } from "../../config/load.ts";
import { serverKey } from "../../config/server-key.ts";
import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import type { ServerStart } from "../../protocol/client-profile.ts";
import { settingsFor, startsFor } from "./client-starts.ts";
import type { Launch } from "./launch.ts";

export { settingsFor };

/** How servers are started for the clients of one launch. */
export class LaunchStarts {
  readonly launch: Launch;
  #starts: ReadonlyMap<string, ServerStart> | undefined;

  constructor(launch: Launch) {
    this.launch = launch;
  }

  /** False if clients of this launch need a workbench of their own. */
  get isShareable(): boolean {
    return this.#starts !== undefined;
  }

  startOf({ toolbox, name }: ServerSettings): ServerStart | undefined {
    return this.#starts?.get(serverKey(toolbox, name));
  }

  /** Reads the configuration as a client of this launch would; returns its secrets. */
  async update({ file, text, settings }: SharedConfig): Promise<readonly string[]> {
    try {
      const { env } = this.launch;
      const own = settingsFor(await parseConfig(text, { file, env }), this.launch);
      this.#starts = startsFor(settings, own);
      return this.#starts?.size === 0 ? [] : own.secrets;
    } catch {
      // The client reports the problem itself.
      this.#starts = undefined;
      return [];
    }
  }
}

/** Launches are kept for clients that come back. */
const MAX_UNUSED = 100;

/** The configuration of the shared workbench. */
export interface SharedConfig {
  readonly file: string;
  readonly text: string;
  readonly settings: WorkbenchSettings;
}

/** The launches of all clients of a shared workbench, in step with its configuration. */
export class KnownLaunches {
  #config: SharedConfig;
  readonly #onSecrets: (secrets: readonly string[]) => void;
  readonly #known = new Map<string, Promise<LaunchStarts>>();

  constructor(config: SharedConfig, onSecrets: (secrets: readonly string[]) => void) {
    this.#config = config;
    this.#onSecrets = onSecrets;
  }

  get config(): SharedConfig {
    return this.#config;
  }

  startsOf(launch: Launch): Promise<LaunchStarts> {
    const key = JSON.stringify([launch.cwd, Object.entries(launch.env)]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const starts = new LaunchStarts(launch);
    const created = this.#update(starts).then(() => starts);
    this.#known.set(key, created);
    return created;
  }

  /** The configuration is about to change. */
  async update(config: SharedConfig): Promise<void> {
    this.#config = config;
    for (const known of this.#known.values()) await this.#update(await known);
  }

  /** Forgets launches that no client has, if there are many. */
  async keepOnly(used: ReadonlySet<LaunchStarts>, most = MAX_UNUSED): Promise<void> {
    if (this.#known.size <= most) return;
    for (const [key, known] of this.#known) if (!used.has(await known)) this.#known.delete(key);
  }

  async #update(starts: LaunchStarts): Promise<void> {
    const secrets = await starts.update(this.#config);
    if (secrets.length > 0) this.#onSecrets(secrets);
  }
}
