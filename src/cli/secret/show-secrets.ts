import type { SecretStore } from "../../secrets/store.ts";
import type { Context } from "../core/command.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";
import { columns } from "../output/layout.ts";
import type { Reference } from "./references.ts";

/** Lists the names of secrets by place, who uses them, and the references that have no value. */
export async function showSecrets(
  context: Pick<Context, "out" | "env">,
  listed: { readonly stores: readonly SecretStore[]; readonly references: readonly Reference[] },
): Promise<void> {
  const { out, env } = context;
  const { bold, dim, yellow } = out.style;
  const known = new Set<string>();
  const usesOf = (name: string, place: string): string =>
    listed.references
      .filter((one) => one.name === name && one.place === place)
      .flatMap(({ usedBy }) => usedBy)
      .join(", ");
  for (const { kind, label, ...store } of listed.stores.map(asParts)) {
    const names = await store.names();
    for (const name of names) known.add(`${kind}:${name}`);
    if (names.length === 0) continue;
    out.print(bold(shortPath(label, hostInfo(context))));
    out.print(
      columns(
        names.map((name) => [name, dim(usesOf(name, kind) || "not used")]),
        "  ",
        out.tableWidth,
      ),
    );
  }
  if (known.size === 0) out.print("No secrets are stored.");
  const places = new Set(listed.stores.map(({ kind }) => kind));
  const missing = listed.references.filter(
    ({ name, place }) =>
      places.has(place) &&
      !known.has(`${place}:${name}`) &&
      (place === "keychain" || env[name] === undefined),
  );
  if (missing.length === 0) return;
  out.print(yellow("Not set anywhere"));
  out.print(
    columns(
      missing.map(({ name, usedBy }) => [name, dim(usedBy.join(", "))]),
      "  ",
      out.tableWidth,
    ),
  );
}

const asParts = (store: SecretStore) => ({
  kind: store.kind,
  label: store.label,
  names: () => store.names(),
});
