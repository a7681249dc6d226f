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

type Heard = (notification: IncomingNotification) => void;

export const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/**
 * Subscribes to list changes of a modern server; legacy servers send them without a subscription.
 */
export function listenForChanges(connection: Connection, heard: Heard): void {
  const notifications: Record<string, unknown> = {};
  for (const [capability, filter] of Object.entries(LISTS)) {
    const offered = connection.hello.capabilities[capability];
    if (isObject(offered) && offered["listChanged"] === true) notifications[filter] = true;
  }
  if (Object.keys(notifications).length > 0)
    keepListening(connection, notifications, heard, new Reopening());
}

/**
 * A server may end a subscription, for example before a restart. It is renewed as long as the
 * connection lasts, unless the server refuses.
 */
function keepListening(
  connection: Connection,
  notifications: Record<string, unknown>,
  heard: Heard,
  reopening: Reopening,
): void {
  const begun = performance.now();
  listen(connection, notifications, heard, ({ isError }) => {
    if (isError) return;
    reopening.ended(performance.now() - begun, false);
    setTimeout(() => {
      if (connection.closed) return;
      keepListening(connection, notifications, heard, reopening);
      if (reopening.hasGap) connection.onRenewed();
    }, reopening.pauseMs()).unref();
  });
}

/** Subscribes to changes of a resource of a modern server, until the call is cancelled. */
export function listenForUpdates(connection: Connection, uri: string, heard: Heard): Call {
  return listen(connection, { resourceSubscriptions: [uri] }, heard);
}

function listen(
  connection: Connection,
  notifications: Record<string, unknown>,
  heard: Heard,
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
      if (method !== ACKNOWLEDGED) heard({ method, params: withoutSubscription(params) });
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
  connection.openStream(call, (id) => {
    const params = `{"notifications":${notifications},"_meta":${meta}}`;
    return requestMessage(String(id), call.method, params);
  });
  return call;
}
