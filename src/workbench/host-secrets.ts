import { isDeepStrictEqual } from "node:util";

import { serverKey } from "../config/server-key.ts";
import type { ServerSettings } from "../config/types.ts";
import type { Logger } from "../log.ts";
import { secretsInSettings } from "../secrets/in-settings.ts";
import type { SecretResolver } from "../servers/secrets/secret-resolver.ts";
import type { Guard } from "../servers/transport/stdio/guard.ts";

/** The secrets of the servers of a workbench. What reads them is loaded when one is needed. */
export class HostSecrets {
  readonly #host: { readonly log: Logger; readonly guard: Guard };
  readonly #onHidden: (values: readonly string[]) => void;
  /** What was hidden before. */
  readonly #hidden = new Set<string>();
  /** By `serverKey`, the transport that a server was last started with. */
  readonly #started = new Map<string, ServerSettings["transport"]>();
  readonly #closing = new AbortController();
  #resolver: Promise<SecretResolver> | undefined;

  /** `onHidden` is called before a value is used, with all forms in which it must not be shown. */
  constructor(
    host: { readonly log: Logger; readonly guard: Guard },
    onHidden: (values: readonly string[]) => void,
  ) {
    this.#host = host;
    this.#onHidden = onHidden;
  }

  /** The settings with the values of their secrets, for a server that is about to be started. */
  async start(settings: ServerSettings): Promise<ServerSettings> {
    const resolved = await this.resolve(settings);
    this.#started.set(keyOf(settings), resolved.transport);
    return resolved;
  }

  /** The settings with the values of their secrets. */
  async resolve(settings: ServerSettings): Promise<ServerSettings> {
    this.#resolver ??= import("../servers/secrets/secret-resolver.ts").then(
      ({ SecretResolver }) =>
        new SecretResolver({
          ...this.#host,
          signal: this.#closing.signal,
          hide: (values) => this.#hide(values),
        }),
    );
    return (await this.#resolver).resolve(settings);
  }

  /** Whether a running server would get other values now. False if they cannot be read. */
  async haveChanged(settings: ServerSettings): Promise<boolean> {
    const started = this.#started.get(keyOf(settings));
    if (started === undefined) return false;
    try {
      return !isDeepStrictEqual((await this.resolve(settings)).transport, started);
    } catch (error) {
      const { toolbox, name: server } = settings;
      const reason = error instanceof Error ? error.message : String(error);
      this.#host.log.warn(`it keeps its secrets: ${reason}`, { toolbox, server });
      return false;
    }
  }

  /** Ends commands that are running. */
  close(): void {
    this.#closing.abort();
  }

  #hide(values: readonly string[]): void {
    const forms = secretsInSettings([], new Map(), values).filter(
      (form) => !this.#hidden.has(form),
    );
    if (forms.length === 0) return;
    for (const form of forms) this.#hidden.add(form);
    this.#onHidden(forms);
  }
}

const keyOf = ({ toolbox, name }: ServerSettings): string => serverKey(toolbox, name);
