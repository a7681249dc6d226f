import { Call, type Caller } from "../../calls/call.ts";
import { withoutSubscription } from "../../protocol/envelope.ts";
import { type IncomingNotification, isObject, requestMessage } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import type { Connection } from "../connection/connection.ts";
import { Reopening } from "./reopening.ts";

const LISTS = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
};

type OnNotification = (notification: IncomingNotification) => void;

export const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** Asks a modern server to tell of changes in its lists; legacy servers tell without being asked. */
export function listenForChanges(connection: Connection, onNotification: OnNotification): void {
  const notifications: Record<string, unknown> = {};
  for (const [capability, filter] of Object.entries(LISTS)) {
    const offered = connection.hello.capabilities[capability];
    if (isObject(offered) && offered["listChanged"] === true) notifications[filter] = true;
  }
  if (Object.keys(notifications).length > 0)
    keepListening(connection, notifications, onNotification, new Reopening());
}

/**
 * A server may end a subscription, for example before a restart. It is renewed as long as the
 * connection lasts, unless the server refuses.
 */
function keepListening(
  connection: Connection,
  notifications: Record<string, unknown>,
  onNotification: OnNotification,
  reopening: Reopening,
): void {
  const startedAt = performance.now();
  listen(connection, notifications, onNotification, ({ isError }) => {
    if (isError) return;
    reopening.ended(performance.now() - startedAt, false);
    setTimeout(() => {
      if (connection.closed) return;
      keepListening(connection, notifications, onNotification, reopening);
      if (reopening.hasMissedEvents) connection.input.onRenewed();
    }, reopening.pauseMs()).unref();
  });
}

/** Asks a modern server to tell of changes of a resource, until the call is taken back. */
export function listenForUpdates(
  connection: Connection,
  uri: string,
  onNotification: OnNotification,
): Call {
  return listen(connection, { resourceSubscriptions: [uri] }, onNotification);
}

function listen(
  connection: Connection,
  notifications: Record<string, unknown>,
  onNotification: OnNotification,
  ended: (response: ServerResponse) => void = () => {},
): Call {
  const meta = JSON.stringify(connection.envelope ?? {});
  return openListenStream(connection, JSON.stringify(notifications), meta, {
    onSettled: (_call, outcome) => {
      if (outcome.kind === "response") ended(outcome.response);
    },
    onProgress: () => {},
    onServerRequest: (question) => question.refuseMethod(),
    onCallNotification: (_call, { method, params }) => {
      if (method !== ACKNOWLEDGED) onNotification({ method, params: withoutSubscription(params) });
    },
  });
}

/** A subscription request, which stays open; filter and `_meta` are JSON text. */
export function openListenStream(
  connection: Connection,
  notifications: string,
  meta: string,
  caller: Caller,
): Call {
  const call = new Call(caller, "workbench", "subscriptions/listen", "", undefined);
  connection.calls.openStream(call, (id) => {
    const params = `{"notifications":${notifications},"_meta":${meta}}`;
    return requestMessage(String(id), call.method, params);
  });
  return call;
}
