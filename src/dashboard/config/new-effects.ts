import { isDeepStrictEqual } from "node:util";

import {
  type Effects,
  type ServerEffects,
  effectsOf,
  effectLines,
  serverEffectLines,
} from "../../config/trust/effects.ts";

/**
 * What a changed configuration would start, connect to, read or allow that it does not now, in words. An empty list means that
 * the change only concerns what is there already.
 */
export async function newEffects(
  file: string,
  before: string,
  after: string,
): Promise<readonly string[]> {
  // Of a text that cannot be read, nothing is in effect.
  const old = await effectsOf(file, before).catch(() => NOTHING);
  const now = await effectsOf(file, after);
  return addedLines(old, now);
}

const NOTHING: Effects = {
  servers: [],
  variables: [],
  envFiles: [],
  secretCommands: [],
  secretFiles: [],
  keychain: [],
  logFile: undefined,
};

function addedLines(old: Effects, now: Effects): string[] {
  const isKnown = new Set(old.servers.filter(isEnabled).map(identityOf));
  const servers = now.servers.filter((one) => isEnabled(one) && !isKnown.has(identityOf(one)));
  const added: Effects = {
    servers: [],
    variables: without(now.variables, old.variables),
    envFiles: without(now.envFiles, old.envFiles),
    secretCommands: withoutSame(now.secretCommands, old.secretCommands),
    secretFiles: without(now.secretFiles, old.secretFiles),
    keychain: without(now.keychain, old.keychain),
    logFile: now.logFile === old.logFile ? undefined : now.logFile,
    ...(now.users !== undefined && now.users !== old.users && { users: now.users }),
    ...(now.publicUrl !== undefined &&
      now.publicUrl !== old.publicUrl && { publicUrl: now.publicUrl }),
    ...(now.cluster !== undefined &&
      !isDeepStrictEqual(now.cluster, old.cluster) && { cluster: now.cluster }),
  };
  const files = added.envFiles.map((envFile) => `read variables from ${envFile}`);
  const [, ...shown] = [...effectLines(added)].toReversed();
  return [
    // The last line is about servers, which follow.
    ...shown.toReversed(),
    ...(added.variables.length > 0 ? [] : files),
    ...servers.flatMap(serverEffectLines),
  ];
}

/** A server that is switched off starts nothing. */
function isEnabled({ disabled }: ServerEffects): boolean {
  return !disabled;
}

function identityOf(effects: ServerEffects): string {
  return JSON.stringify(effects);
}

function without(now: readonly string[], old: readonly string[]): string[] {
  return now.filter((one) => !old.includes(one));
}

function withoutSame<T>(now: readonly T[], old: readonly T[]): T[] {
  const known = new Set(old.map((one) => JSON.stringify(one)));
  return now.filter((one) => !known.has(JSON.stringify(one)));
}
