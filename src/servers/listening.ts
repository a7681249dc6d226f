import { Call, type Caller } from "../relay/call.ts";
import { isObject, requestText } from "../wire/messages.ts";
import type { Connection } from "./connection.ts";

const LISTS = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
};

const NOBODY: Caller = {
  answered: () => {},
  failed: () => {},
  progressed: () => {},
  asked: (question) => question.refuseMethod(),
};

/** Asks a modern server to tell of changes in its lists; legacy servers tell without being asked. */
export function listenForChanges(connection: Connection): void {
  const notifications: Record<string, unknown> = {};
  for (const [capability, filter] of Object.entries(LISTS)) {
    const offered = connection.greeting.capabilities[capability];
    if (isObject(offered) && offered["listChanged"] === true) notifications[filter] = true;
  }
  if (Object.keys(notifications).length > 0) listen(connection, notifications);
}

/** Asks a modern server to tell of changes of resources, until the call is taken back. */
export function listenForUpdates(connection: Connection, uris: readonly string[]): Call {
  return listen(connection, { resourceSubscriptions: uris });
}

function listen(connection: Connection, notifications: Record<string, unknown>): Call {
  const call = new Call(NOBODY, "", "subscriptions/listen", "", undefined);
  connection.stand(call, (id) =>
    requestText(id, call.method, { notifications, _meta: connection.envelope }),
  );
  return call;
}
