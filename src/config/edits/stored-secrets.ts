import { workbenchError } from "../../errors.ts";
import { fingerprint } from "../../files/splice.ts";
import { readText } from "../../files/text-file.ts";
import type { SecretStore } from "../../secrets/store.ts";
import { storeOf } from "../../secrets/stores.ts";
import type { Environment } from "../canonical/expand.ts";

/** Secrets that a change to a configuration adds to a store. */
export interface SecretAdditions {
  readonly store: SecretStore;
  readonly values: ReadonlyMap<string, string>;
}

/** A record of secrets that were added, without their values. */
export interface StoredSecrets {
  readonly kind: SecretStore["kind"];
  readonly label: string;
  readonly added: readonly { readonly name: string; readonly fingerprint: string }[];
}

export function recordOf({ store, values }: SecretAdditions): StoredSecrets {
  const { kind, label } = store;
  const added = Array.from(values, ([name, value]) => ({ name, fingerprint: fingerprint(value) }));
  return { kind, label, added };
}

/**
 * The secrets that are not stored yet. Throws if a command that was faster has used a name for a different value:
 * the new configuration would refer to the wrong one.
 */
export async function newSecrets({ store, values }: SecretAdditions): Promise<SecretAdditions> {
  const there = await store.get(values.keys());
  const isFree = ([name, value]: [string, string]): boolean =>
    there.get(name) === undefined || there.get(name) === value;
  if (![...values].every(isFree))
    throw workbenchError("FILE_CHANGED", { file: store.label }, "Run the command again");
  return { store, values: new Map([...values].filter(([name]) => !there.has(name))) };
}

/**
 * Removes the secrets of a change that failed, except those that the configuration refers to: a command that was
 * faster may have moved the same ones.
 */
export async function removeUnused(
  context: { readonly env: Environment },
  added: SecretAdditions | undefined,
  file: string,
): Promise<void> {
  if (added === undefined) return;
  const { store, values } = added;
  const text = (await readText(file)) ?? "";
  const unused = [...values].filter(([name]) => !text.includes(store.reference(name)));
  await removeStored(context, recordOf({ store, values: new Map(unused) }));
}

/** Removes secrets that were added with a change, except those that have another value by now. */
export async function removeStored(
  context: { readonly env: Environment },
  stored: StoredSecrets | undefined,
): Promise<number> {
  const names = await storedStill(context, stored);
  if (stored === undefined || names.length === 0) return 0;
  return (await storeFor(context, stored).remove(names)).length;
}

/** The names of secrets that were added with a change and still have the same value. */
export async function storedStill(
  context: { readonly env: Environment },
  stored: StoredSecrets | undefined,
): Promise<readonly string[]> {
  if (stored === undefined || stored.added.length === 0) return [];
  const now = await storeFor(context, stored).get(stored.added.map(({ name }) => name));
  return stored.added.flatMap(({ name, fingerprint: before }) => {
    const value = now.get(name);
    return value !== undefined && fingerprint(value) === before ? [name] : [];
  });
}

function storeFor(
  { env }: { readonly env: Environment },
  { kind, label }: StoredSecrets,
): SecretStore {
  return storeOf(kind, { file: label, links: "follow", env });
}
