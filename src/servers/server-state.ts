export const SERVER_STATES = [
  "idle",
  "connecting",
  "downloading",
  "ready",
  "needs-auth",
  "backoff",
  "closing",
  "disabled",
] as const;
export type ServerState = (typeof SERVER_STATES)[number];
