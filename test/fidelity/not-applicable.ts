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
    reason: "servers of 2026-07-28 get no notification: they ask when they need the roots",
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
    reason: "belongs to 2026-07-28",
  },
  {
    features: ["resultType", "listen", "unknownVersion", "removedMethods"],
    when: { client: ["sdk-v2-modern"] },
    reason: "the SDK handles it internally and does not expose it",
  },
  {
    features: ["unknownVersion"],
    when: { server: "dual-era", mode: ["direct"] },
    reason: "the server SDK checks the version of the first request only",
  },
  {
    features: ["unknownBlock"],
    when: { client: SDK },
    reason: "the SDK refuses unknown content; see the raw clients",
  },
  {
    features: ["unknownBlock"],
    when: { server: "dual-era" },
    reason: "the server SDK sends no unknown content",
  },
  {
    features: ["modernTask", "modernTaskCancel"],
    when: { clientEra: "legacy" },
    reason: "the tasks extension belongs to 2026-07-28",
  },
  {
    features: ["modernTask", "modernTaskCancel"],
    when: { client: ["sdk-v2-modern"] },
    reason: "the SDK refuses a result that is a task; see the raw client",
  },
  {
    features: ["modernTask", "modernTaskCancel"],
    when: { server: "everything" },
    reason: "the server has the tasks of 2025-11-25",
  },
  {
    features: ["modernTask", "modernTaskCancel"],
    when: { server: "dual-era" },
    reason: "the server SDK has no tasks",
  },
  {
    features: ["legacyTask", "legacyTaskList"],
    when: { clientEra: "modern" },
    reason: "tasks of this form were removed from the protocol in 2026-07-28",
  },
  {
    features: ["legacyTask", "legacyTaskList"],
    when: { server: "dual-era" },
    reason: "the server SDK has no tasks",
  },
  {
    features: ["legacyTask", "legacyTaskList"],
    when: { server: "modern-only" },
    reason: "the server has the tasks of 2026-07-28",
  },
  {
    features: ["customMethod", "customFromServer", "customFromClient"],
    when: { mode: ["proxy", "dynamic"] },
    reason:
      "an unknown method does not say which server it is for; the transparent view forwards it",
  },
  {
    features: ["customFromClient"],
    when: { transport: "http", clientEra: "modern" },
    reason: "over HTTP, clients of 2026-07-28 send no notifications",
  },
  {
    features: ["sharedRefused", "sharedIsolated"],
    when: { transport: "stdio" },
    reason: "over stdio a workbench has one client",
  },
  {
    features: ["sharedRefused", "sharedIsolated"],
    when: { transport: "http", serverEra: "modern" },
    reason: "servers of 2026-07-28 ask in the answer to a request, which always has an owner",
  },
  {
    features: ["clientInfoTold"],
    when: { transport: "http", serverEra: "legacy" },
    reason:
      "a legacy server gets it once, from the client that connected it, and is then shared by all with the same capabilities",
  },
  {
    features: ["progressAfterQuestion"],
    when: { server: "everything" },
    reason: "no tool of the server does both",
  },
  {
    features: ["toolsPages", "resourcesPages", "promptsPages"],
    when: { server: "everything" },
    reason: "the lists of the server have one page",
  },
  {
    features: ["toolsChanged", "promptsChanged"],
    when: { server: "everything" },
    reason: "the server changes this list only while it starts, or never",
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
      "customMethod",
      "customFromServer",
      "customFromClient",
    ],
    when: { server: "everything" },
    reason: "the server has nothing that shows it",
  },
];

function holds(when: Condition, { server, mode, transport }: Column, client: ClientKind): boolean {
  return (
    (when.server === undefined || when.server === server) &&
    (when.mode === undefined || when.mode.includes(mode)) &&
    (when.transport === undefined || when.transport === transport) &&
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
  return EXCEPTIONS.find(
    ({ features, when }) => features.includes(feature) && holds(when, column, client),
  )?.reason;
}
