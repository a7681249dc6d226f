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

/** Asks a modern server to tell of changes in its lists; legacy servers tell without being asked. */
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
 * A server may say that it ends a subscription, as when it is about to be restarted. It is asked
 * again for as long as the connection lasts; one that refuses is not.
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
      if (reopening.hasGap) connection.input.onRenewed();
    }, reopening.pauseMs()).unref();
  });
}

/** Asks a modern server to tell of changes of a resource, until the call is taken back. */
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

/** A request to be told of changes, which stays open; filter and `_meta` are JSON text. */
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
