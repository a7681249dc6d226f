import { describe, expect, it } from "vitest";
import { FakeClient, fakeServer, requestIn } from "../../test/support/fake-client.ts";
import { FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import { createPolicyEngine } from "../access/policy/policy-engine.ts";
import { type Principal, STDIO_PRINCIPAL } from "../calls/principal.ts";
import { ServerRequest } from "../calls/server-request.ts";
import type { Visibility } from "../calls/visibility.ts";
import type { PolicySettings, WorkbenchSettings } from "../config/types.ts";
import type { SharedUse } from "../protocol/client-profile.ts";
import { NOT_CONNECTED } from "../servers/handshake/server-hello.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { SessionClient } from "./legacy/session-client.ts";
import { SessionProfile } from "./legacy/session-profile.ts";
import { ListenRelay } from "./modern/listen-relay.ts";
import { ListenServers } from "./modern/listen-servers.ts";
import { mayReceive, maySend } from "./passed-messages.ts";
import type { Surface } from "./surface/surface.ts";

/** What a policy says about notifications, and that all kinds of clients are held to it. */

const POLICIES = {
  none: undefined,
  "deny all": { readOnly: false, rules: [], default: "deny" },
  "deny others": {
    readOnly: false,
    rules: [{ tools: ["fx/get"], action: "allow" }],
    default: "deny",
  },
  "read only": { readOnly: true, rules: [], default: "allow" },
} as const satisfies Readonly<Record<string, PolicySettings | undefined>>;
type Name = keyof typeof POLICIES;

const UPDATED = "notifications/resources/updated";
const LOG = "notifications/message";
/** One of several clients of a shared workbench. */
const SHARING: Principal = { ...STDIO_PRINCIPAL, client: "one" };

/** A policy that can be changed, as by a change of the configuration. */
function policy(): { readonly visibility: Visibility; set(name: Name): void } {
  const servers = new Map([["fx", settingsWith()]]);
  const toolboxes = new Map([["dev", { servers }]]);
  const context = { settings: { toolboxes } as unknown as WorkbenchSettings };
  const { visibility } = createPolicyEngine(context);
  const set = (name: Name): void => {
    const settings = { policy: POLICIES[name], toolboxes };
    context.settings = settings as unknown as WorkbenchSettings;
  };
  return { visibility, set };
}

describe("a policy", () => {
  const place = { toolbox: "dev", server: "fx" };
  const reader: Principal = { kind: "token", id: "t", name: "t", readOnly: true };
  const viewer = (name: Name, principal: Principal) => {
    const { visibility, set } = policy();
    set(name);
    return { principal, pipeline: { visibility } as never };
  };

  it.each<[Name, boolean, boolean]>([
    ["none", true, true],
    ["deny all", false, false],
    ["deny others", true, false],
    ["read only", true, true],
  ])("decides what a client receives: %s", (name, log, updated) => {
    const who = viewer(name, STDIO_PRINCIPAL);
    expect(mayReceive(who, { place }, LOG)).toBe(log);
    expect(mayReceive(who, { place }, UPDATED)).toBe(updated);
    expect(mayReceive(who, { place }, "notifications/prompts/list_changed")).toBe(updated);
  });

  it.each<[Name, Principal, boolean, boolean]>([
    ["none", STDIO_PRINCIPAL, true, true],
    ["none", reader, false, true],
    ["deny all", STDIO_PRINCIPAL, false, false],
    ["deny all", SHARING, false, false],
    ["deny others", STDIO_PRINCIPAL, false, true],
    ["deny others", SHARING, false, true],
    ["read only", STDIO_PRINCIPAL, false, true],
  ])("decides what a client sends: %s, %o", (name, principal, own, roots) => {
    const who = viewer(name, principal);
    expect(maySend(who, { place }, "notifications/acme/delete")).toBe(own);
    expect(maySend(who, { place }, "notifications/roots/list_changed")).toBe(roots);
  });
});

describe("a policy that denies a server to connected clients", () => {
  const known = (era: "legacy" | "modern") => {
    const fake = new FakeConnection();
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
    fake.connection.hello = { ...NOT_CONNECTED, era, capabilities };
    fake.channel.onSend = ({ id }) => fake.answer(id);
    return fakeServer(fake);
  };
  const listening = (era: "legacy" | "modern") => {
    const server = known(era);
    const client = new FakeClient([server], "modern");
    const { visibility, set } = policy();
    Object.assign(client.pipeline, { visibility });
    const notified: string[] = [];
    const target = { notify: (method: string) => void notified.push(method), end() {} };
    const view = { scope: client.scope, server: server.server };
    return { ...server, client, set, notified, target, view };
  };

  it.each<[string, Principal, SharedUse | undefined]>([
    ["session", STDIO_PRINCIPAL, undefined],
    ["session of a shared workbench", SHARING, { sharesAll: true, startOf: () => undefined }],
  ])("ends what a %s receives", (_kind, principal, shared) => {
    const { server, fake } = known("legacy");
    const { visibility, set } = policy();
    const sent: string[] = [];
    const profile = new SessionProfile(shared);
    profile.protocolVersion = "2025-11-25";
    const client = new SessionClient({
      profile,
      principal,
      mayReceive: (of, method) =>
        mayReceive({ principal, pipeline: { visibility } as never }, of, method),
      output: { send: (text) => void sent.push(text), answer: () => {}, reply: () => {} },
      surfaceOf: () => ({ isTransparent: false }) as unknown as Surface,
      isOwnTask: () => false,
    });
    client.subscriptions.add("x:/1", server, "x:/1", fake.connection);
    const notify = (): void => {
      for (const method of [LOG, UPDATED])
        client.onNotification(server, fake.connection, {
          method,
          params: { level: "error", data: "text", uri: "x:/1" },
        });
    };
    notify();
    expect(sent).toHaveLength(2);
    set("deny all");
    notify();
    const request = { id: 7, idText: "7", method: "roots/list", params: {}, text: "{}" };
    client.onServerRequest(new ServerRequest(request, fake.connection), undefined);
    expect(sent).toHaveLength(2);
    expect(fake.channel.sent.find(({ id }) => id === 7)).toMatchObject({ error: { code: -32601 } });
  });

  it("ends what a stream over several servers receives", async () => {
    const { server, fake, client, set, notified, target, view } = listening("legacy");
    const wanted = { resourceSubscriptions: ["x:/1"] };
    const settings = { toolMode: "proxy", toolboxes: new Map() };
    const workbench = { settings } as unknown as Workbench;
    const stream = new ListenServers(workbench, view, client, wanted, target);
    await stream.start();
    const update = { method: UPDATED, params: { uri: "x:/1" } };
    stream.onNotification(server, fake.connection, update);
    expect(notified).toEqual([UPDATED]);
    set("deny others");
    stream.onNotification(server, fake.connection, update);
    expect(notified).toEqual([UPDATED]);
  });

  it("keeps resources out of the stream of a modern server", () => {
    const { fake, client, set, notified, target, view } = listening("modern");
    fake.channel.onSend = () => {};
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["x:/1"] };
    const params = { notifications, _meta: {} };
    const request = requestIn(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params }),
    );
    const open = (): ListenRelay => {
      const relay = new ListenRelay(view, fake.connection, request, target, client);
      void relay.start();
      return relay;
    };
    const relay = open();
    const call = {} as Parameters<ListenRelay["onCallNotification"]>[0];
    relay.onCallNotification(call, { method: UPDATED, params: { uri: "x:/1" } });
    expect(notified).toEqual([UPDATED]);
    set("deny others");
    relay.onCallNotification(call, { method: UPDATED, params: { uri: "x:/1" } });
    expect(notified).toEqual([UPDATED]);
    open();
    const filters = fake.channel
      .of("subscriptions/listen")
      .map((sent) => (sent["params"] as { notifications: object }).notifications);
    expect(filters).toEqual([notifications, { toolsListChanged: true }]);
  });
});
