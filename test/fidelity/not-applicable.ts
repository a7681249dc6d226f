/** The cells that do not exist, each with its reason: by protocol, by SDK, or for want of the feature. */
import { type ClientKind, type Era, eraOf } from "../support/clients/matrix-client.ts";
import { type Column, type Mode, type ServerKind, type Transport, serverEra } from "./columns.ts";
import type { FeatureId } from "./features.ts";

interface Condition {
  readonly server?: ServerKind;
  readonly mode?: readonly Mode[];
  readonly transport?: Transport;
  readonly client?: readonly ClientKind[];
  readonly clientEra?: Era;
  /** The era the server is talked to in. */
  readonly serverEra?: Era;
}

interface Exception {
  readonly features: readonly FeatureId[];
  readonly when: Condition;
  readonly reason: string;
}

const SDK: readonly ClientKind[] = ["sdk-v1", "sdk-v2-legacy", "sdk-v2-modern"];

export const EXCEPTIONS: readonly Exception[] = [
  {
    features: ["ping", "rootsChanged"],
    when: { clientEra: "modern" },
    reason: "removed from the protocol in 2026-07-28",
  },
  {
    features: ["rootsChanged"],
    when: { clientEra: "legacy", serverEra: "modern" },
    reason: "servers of 2026-07-28 get no notification; they ask for the roots when they need them",
  },
  {
    features: [
      "discover",
      "resultType",
      "cacheHints",
      "listen",
      "listenHonoured",
      "unknownVersion",
      "removedMethods",
    ],
    when: { clientEra: "legacy" },
    reason: "part of 2026-07-28 only",
  },
  {
    features: ["resultType", "listen", "unknownVersion", "removedMethods"],
    when: { client: ["sdk-v2-modern"] },
    reason: "the SDK handles this internally",
  },
  {
    features: ["unknownVersion"],
    when: { server: "dual-era", mode: ["direct"] },
    reason: "the server SDK checks the version of the first request only",
  },
  {
    features: ["unknownBlock"],
    when: { client: SDK },
    reason: "the SDK rejects unknown content; see the raw clients",
  },
  {
    features: ["unknownBlock"],
    when: { server: "dual-era" },
    reason: "the server SDK cannot send unknown content",
  },
  {
    features: ["modernTask", "modernTaskCancel"],
    when: { clientEra: "legacy" },
    reason: "the tasks extension is part of 2026-07-28 only",
  },
  {
    features: ["modernTask", "modernTaskCancel"],
    when: { client: ["sdk-v2-modern"] },
    reason: "the SDK rejects a result that is a task; see the raw client",
  },
  {
    features: ["modernTask", "modernTaskCancel"],
    when: { server: "everything" },
    reason: "the server implements the tasks of 2025-11-25",
  },
  {
    features: ["modernTask", "modernTaskCancel"],
    when: { server: "dual-era" },
    reason: "the server SDK does not support tasks",
  },
  {
    features: ["legacyTask", "legacyTaskList"],
    when: { clientEra: "modern" },
    reason: "tasks of this form were removed from the protocol in 2026-07-28",
  },
  {
    features: ["legacyTask", "legacyTaskList"],
    when: { server: "dual-era" },
    reason: "the server SDK does not support tasks",
  },
  {
    features: ["legacyTask", "legacyTaskList"],
    when: { server: "modern-only" },
    reason: "the server implements the tasks of 2026-07-28",
  },
  {
    features: ["customMethod", "customFromServer", "customFromClient"],
    when: { mode: ["proxy", "dynamic"] },
    reason: "a custom method does not say which server it is for; the transparent view forwards it",
  },
  {
    features: ["customFromClient"],
    when: { transport: "http", clientEra: "modern" },
    reason: "clients of 2026-07-28 cannot send notifications over HTTP",
  },
  {
    features: ["sharedRefused", "sharedIsolated"],
    when: { transport: "stdio" },
    reason: "a workbench over stdio has only one client",
  },
  {
    features: ["sharedRefused", "sharedIsolated"],
    when: { transport: "http", serverEra: "modern" },
    reason: "servers of 2026-07-28 ask in the result of a request, so the client is always known",
  },
  {
    features: ["clientInfoTold"],
    when: { transport: "http", serverEra: "legacy" },
    reason:
      "a legacy server receives this once, from the first client; others with the same capabilities share the connection",
  },
  {
    features: ["progressAfterQuestion"],
    when: { server: "everything" },
    reason: "no tool of the server does both",
  },
  {
    features: ["toolsPages", "resourcesPages", "promptsPages"],
    when: { server: "everything" },
    reason: "the server's lists have one page",
  },
  {
    features: ["toolsChanged", "promptsChanged"],
    when: { server: "everything" },
    reason: "the server changes this list only during start-up, or never",
  },
  {
    features: [
      "audio",
      "cancellation",
      "unknownBlock",
      "resultMeta",
      "requestMeta",
      "trace",
      "clientInfoTold",
      "formFromPrompt",
      "formFromResource",
      "urlFromPrompt",
      "urlFromResource",
      "samplingFromPrompt",
      "samplingFromResource",
      "rootsFromPrompt",
      "rootsFromResource",
      "rounds",
      "manyAtOnce",
      "apps",
      "skills",
      "customMethod",
      "customFromServer",
      "customFromClient",
    ],
    when: { server: "everything" },
    reason: "the server does not implement it",
  },
];

const SHARED_MODES = ["proxy", "dynamic"] as const;

/** The same for clients that share a process: one connection serves clients with different capabilities. */
const SHARED_EXCEPTIONS: typeof EXCEPTIONS = [
  {
    features: ["capabilitiesTold", "clientInfoTold"],
    when: { mode: SHARED_MODES, serverEra: "legacy" },
    reason: "a legacy server with several clients learns what the workbench supports",
  },
  {
    features: ["toolsList"],
    when: { mode: SHARED_MODES, server: "everything" },
    reason: "its tools depend on the capabilities of the client",
  },
];

/** The same for clients of two replicas. */
const REPLICA_EXCEPTIONS: typeof EXCEPTIONS = [
  {
    features: ["sharedRefused"],
    when: {},
    reason: "clients of different replicas use different processes of the server",
  },
  {
    features: [
      "toolsChanged",
      "resourcesChanged",
      "promptsChanged",
      "updated",
      "unsubscribed",
      "logging",
      "listen",
      "apps",
    ],
    when: { clientEra: "modern" },
    reason:
      "a client without a session uses the processes of both replicas, and these change and notify independently",
  },
];

const FURTHER: Readonly<Partial<Record<Transport, typeof EXCEPTIONS>>> = {
  shared: SHARED_EXCEPTIONS,
  replicas: REPLICA_EXCEPTIONS,
};

/** All that hold for clients of a column. */
export function exceptionsOf({ transport }: Column): typeof EXCEPTIONS {
  return [...EXCEPTIONS, ...(FURTHER[transport] ?? [])];
}

function holds(when: Condition, { server, mode, transport }: Column, client: ClientKind): boolean {
  const clientTransport = { shared: "stdio", replicas: "http" }[transport as string] ?? transport;
  return (
    (when.server === undefined || when.server === server) &&
    (when.mode === undefined || when.mode.includes(mode)) &&
    (when.transport === undefined || when.transport === clientTransport) &&
    (when.client === undefined || when.client.includes(client)) &&
    (when.clientEra === undefined || when.clientEra === eraOf(client)) &&
    (when.serverEra === undefined || when.serverEra === serverEra(client, server))
  );
}

/** Why a cell does not exist; undefined if it does. */
export function notApplicable(
  feature: FeatureId,
  column: Column,
  client: ClientKind,
): string | undefined {
  return exceptionsOf(column).find(
    ({ features, when }) => features.includes(feature) && holds(when, column, client),
  )?.reason;
}
