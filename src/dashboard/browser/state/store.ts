import type { DashboardEvent } from "../../contract.ts";
import { applyEvent, type Connection, INITIAL, type State } from "./state.ts";

/** Holds the state and reports its changes; passes events on to the pages. */
export class Store {
  state: State = INITIAL;
  private readonly listeners = new Set<() => void>();
  private readonly eventListeners = new Set<(event: DashboardEvent) => void>();

  /** Calls back after each change of the state. Returns a function that stops it. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Calls back with each event. Returns a function that stops it. */
  listen(listener: (event: DashboardEvent) => void): () => void {
    this.eventListeners.add(listener);
    return () => this.eventListeners.delete(listener);
  }

  onEvent(event: DashboardEvent): void {
    this.update(applyEvent(this.state, event));
    for (const listener of this.eventListeners) listener(event);
  }

  setConnection(connection: Connection): void {
    this.update({ ...this.state, connection });
  }

  setWaiting(waiting: number): void {
    if (waiting !== this.state.waiting) this.update({ ...this.state, waiting });
  }

  /** Has a screen reader say something. The same text again is said again. */
  announce(text: string): void {
    const isSame = this.state.announcement === text;
    this.update({ ...this.state, announcement: isSame ? `${text}\u00a0` : text });
  }

  private update(state: State): void {
    if (state === this.state) return;
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
