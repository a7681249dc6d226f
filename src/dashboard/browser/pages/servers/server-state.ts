import type { ServerAuth, ServerState } from "../../../contract.ts";
import type { Tone } from "../../parts/badge.tsx";

interface Shown {
  readonly tone: Tone;
  readonly text: string;
}

export const STATES: Readonly<Record<ServerState, Shown>> = {
  ready: { tone: "good", text: "Ready" },
  idle: { tone: "neutral", text: "Idle" },
  connecting: { tone: "neutral", text: "Connecting" },
  downloading: { tone: "neutral", text: "Downloading" },
  "needs-auth": { tone: "warn", text: "Needs sign-in" },
  backoff: { tone: "bad", text: "Failed, will retry" },
  closing: { tone: "neutral", text: "Closing" },
  disabled: { tone: "neutral", text: "Disabled" },
};

/** What a list of servers can be limited to. */
export type StateChoice = ServerState | "";
export const STATE_CHOICES: readonly (readonly [StateChoice, string])[] = [
  ["", "all states"],
  ...Object.entries(STATES).map(([state, { text }]) => [state as ServerState, text] as const),
];

export const AUTH_STATES: Readonly<Record<ServerAuth["state"], Shown>> = {
  "signed-in": { tone: "good", text: "Signed in" },
  "needs-login": { tone: "warn", text: "Sign-in needed" },
  "needs-scope": { tone: "warn", text: "More permissions needed" },
  refused: { tone: "bad", text: "Sign-in refused" },
  unreachable: { tone: "bad", text: "Sign-in service unreachable" },
};

/** A state that this version of the page does not know is shown by its name. */
export function shownState(state: ServerState): Shown {
  return STATES[state] ?? { tone: "neutral", text: state };
}
