import type { DashboardEvent, Topic } from "../../contract.ts";

/** How the event stream is doing. */
export type Connection = "connecting" | "live" | "reconnecting" | "stopped";

/** What all pages have in common. Pages load what they show, and follow the events about it. */
export interface State {
  readonly connection: Connection;
  /** Counts the times at which everything shown has to be loaded again. */
  readonly generation: number;
  /** Counts the changes of each list. */
  readonly changes: Readonly<Partial<Record<Topic, number>>>;
  /** What a screen reader says next. */
  readonly announcement: string;
  /** The number of approvals that wait. */
  readonly waiting: number;
}

export const INITIAL: State = {
  connection: "connecting",
  generation: 0,
  changes: {},
  announcement: "",
  waiting: 0,
};

/** The state after an event. */
export function applyEvent(state: State, event: DashboardEvent): State {
  switch (event.type) {
    case "hello":
    case "lost":
      return { ...state, connection: "live", generation: state.generation + 1 };
    case "changed": {
      const changes = { ...state.changes };
      for (const topic of event.topics) changes[topic] = (changes[topic] ?? 0) + 1;
      return { ...state, changes };
    }
    case "bye":
      return { ...state, connection: "stopped" };
    default:
      // For the pages that show it.
      return state;
  }
}

/** A number that changes when one of the lists, or everything, has to be loaded again. */
export function versionOf(state: State, topics: readonly Topic[]): number {
  return topics.reduce((sum, topic) => sum + (state.changes[topic] ?? 0), state.generation);
}
