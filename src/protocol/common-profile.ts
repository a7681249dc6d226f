import { NAME, VERSION } from "../version.ts";
import type { JsonObject } from "../wire/messages.ts";
import type { ClientProfile } from "./client-profile.ts";

/** What the workbench can pass on to clients. A client that did not declare it refuses it. */
const CAPABILITIES: JsonObject = {
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  tasks: {
    cancel: {},
    list: {},
    requests: { elicitation: { create: {} }, sampling: { createMessage: {} } },
  },
};

/** What a server learns about all clients of a shared workbench: the workbench itself. */
export function commonProfile(client: ClientProfile): ClientProfile {
  return { ...client, capabilities: CAPABILITIES, info: { name: NAME, version: VERSION } };
}
