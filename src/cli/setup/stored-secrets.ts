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
  context: Pick<Context, "env">,
  stored: StoredSecrets | undefined,
): Promise<number> {
  const names = await storedStill(context, stored);
  if (stored === undefined || names.length === 0) return 0;
  return (await storeFor(context, stored).remove(names)).length;
}

/** The names of secrets that were added with a change and still have the same value. */
export async function storedStill(
  context: Pick<Context, "env">,
  stored: StoredSecrets | undefined,
): Promise<readonly string[]> {
  if (stored === undefined || stored.added.length === 0) return [];
  const now = await storeFor(context, stored).get(stored.added.map(({ name }) => name));
  return stored.added.flatMap(({ name, fingerprint: before }) => {
    const value = now.get(name);
    return value !== undefined && fingerprint(value) === before ? [name] : [];
  });
}

/** Such as "3 secrets from ~/.config/mcp-workbench/secrets.env". */
export function secretsFrom(
  context: Pick<Context, "env">,
  count: number,
  stored: StoredSecrets | undefined,
): string {
  return `${plural(count, "secret")} from ${shortPath(stored?.label ?? "", hostInfo(context))}`;
}

function storeFor({ env }: Pick<Context, "env">, { kind, label }: StoredSecrets): SecretStore {
  return storeOf(kind, { file: label, links: "follow", env });
}
