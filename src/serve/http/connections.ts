import { KeepAlive } from "./keep-alive.ts";
import { KeptEvents } from "./kept-events.ts";

/** What the connections of all clients have in common. */
export class Connections {
  readonly keepAlive: KeepAlive;
  readonly kept = new KeptEvents();

  constructor(keepAliveMs: number) {
    this.keepAlive = new KeepAlive(keepAliveMs);
  }
}
