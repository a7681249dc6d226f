import type { ServerRef } from "../../calls/identifier.ts";
import type { ServerSettings } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import type { Host } from "../host.ts";
import type { Placement } from "./placement.ts";

export interface PlacedServer {
  readonly settings: ServerSettings;
  readonly place: ServerRef;
  readonly host: Host;
  readonly failures: { error(reason: string): Error };
}

export interface PlacementEvents {
  /** Ends it at once: another replica may start it soon. */
  readonly stop: () => void;
  /** Another replica runs it, or none. */
  readonly onMoved: () => void;
}

/** Which replica runs a server. Nothing is loaded unless only one of them may. */
export class ServerPlacement {
  readonly #server: PlacedServer;
  readonly #events: PlacementEvents;
  #loading: Promise<Placement> | undefined;
  #loaded: Placement | undefined;

  constructor(server: PlacedServer, events: PlacementEvents) {
    this.#server = server;
    this.#events = events;
  }

  /** Whether only one replica may run it. */
  get isOnce(): boolean {
    const { settings, host } = this.#server;
    return settings.placement === "one" && host.placing !== undefined;
  }

  /** Whether this replica may run it. */
  get isHere(): boolean {
    return !this.isOnce || this.#loaded?.isHere === true;
  }

  /** Finds out which replica runs it, which is this one if no other does. */
  async settle(): Promise<void> {
    try {
      const placement = await (this.#loading ??= this.#load());
      await placement.settle();
    } catch (error) {
      throw this.#server.failures.error(reasonOf(error));
    }
  }

  /** How it is started here, or reached at the replica that runs it. */
  startWith(settings: ServerSettings): ServerSettings {
    if (this.isHere) return settings;
    const elsewhere = this.#loaded?.settingsElsewhere(settings);
    if (elsewhere === undefined) throw this.#server.failures.error("it moves to another replica");
    return elsewhere;
  }

  /** Another replica may run it, once it has ended here. */
  async end(): Promise<void> {
    const placement = this.#loaded;
    this.#loading = undefined;
    this.#loaded = undefined;
    await placement?.close();
  }

  async #load(): Promise<Placement> {
    const { host } = this.#server;
    try {
      const [{ createPlacement }, link] = await Promise.all([
        import("./placement.ts"),
        host.placing?.(),
      ]);
      if (link === undefined) throw new Error("there are no other replicas");
      const { stop: onLost, onMoved } = this.#events;
      this.#loaded = createPlacement(this.#server, link, { onLost, onMoved });
      return this.#loaded;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}
