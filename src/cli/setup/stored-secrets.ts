import { fingerprint } from "../../files/splice.ts";
import type { SecretStore } from "../../secrets/store.ts";
import { storeOf } from "../../secrets/stores.ts";
import type { Context } from "../core/command.ts";
import { plural } from "../output/layout.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";

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

/** Removes secrets that were added with a change, except those that have another value by now. */
export async function removeStored(
  context: Pick<Context, "out" | "env">,
  stored: StoredSecrets | undefined,
): Promise<void> {
  if (stored === undefined || stored.added.length === 0) return;
  const store = storeOf(stored.kind, { file: stored.label, links: "follow", env: context.env });
  const now = await store.get(stored.added.map(({ name }) => name));
  const ours = stored.added.filter(({ name, fingerprint: before }) => {
    const value = now.get(name);
    return value !== undefined && fingerprint(value) === before;
  });
  const removed = await store.remove(ours.map(({ name }) => name));
  if (removed.length > 0)
    context.out.say(
      `Removed ${plural(removed.length, "secret")} from ${shortPath(store.label, hostInfo(context))}`,
    );
}
