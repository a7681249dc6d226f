import { dirname, join } from "node:path";

import { variableFor } from "../../clients/move-secrets.ts";
import { SECRETS_FILE_NAME } from "../../secrets/secrets-file.ts";
import { SECRET_NAME } from "../../secrets/store.ts";
import { storeOf } from "../../secrets/stores.ts";
import type { Context } from "../core/command.ts";
import { placeNamed, type SecretsRequest } from "../setup/keep-secrets.ts";
import { shadowsIn } from "../setup/shadowed-names.ts";
import type { SecretAdditions } from "../../config/edits/stored-secrets.ts";
import { usage } from "./input-value.ts";

/** A secret that the user typed, for an input. */
export interface TypedSecret {
  readonly input: string;
  readonly value: string;
}

export interface SecretReferences {
  /** How the entry refers to a secret, by its value. */
  readonly references: ReadonlyMap<string, string>;
  /** What the change to the configuration stores. */
  readonly additions: SecretAdditions | undefined;
  /** Variables that the user has to set. */
  readonly toSet: readonly string[];
}

/** Plans where secret values go. Nothing is stored yet. */
export async function planStorage(
  context: Pick<Context, "args" | "env" | "out">,
  { file, taken = new Set(), secretsFile }: Omit<SecretsRequest, "toolboxes">,
  server: string,
  secrets: readonly TypedSecret[],
): Promise<SecretReferences> {
  const { env, out } = context;
  const place = placeNamed(context.args.text("secrets") ?? "env-file");
  if (place === "keep")
    throw usage(
      "Secrets are not written into the configuration",
      "Use --secrets env-file or keychain",
    );
  out.hide(secrets.map(({ value }) => value));
  if (secrets.length === 0) return { references: new Map(), additions: undefined, toSet: [] };
  const target = secretsFile ?? { file: join(dirname(file), SECRETS_FILE_NAME) };
  const store = place === "variables" ? undefined : storeOf(place, { ...target, env });
  await store?.assertUsable();
  const stored =
    store === undefined ? new Map<string, string>() : await store.get(await store.names());
  const isShadowed = shadowsIn(place, env);
  const usable = [...stored].filter(
    ([name, value]) => SECRET_NAME.test(name) && !isShadowed(name, value),
  );
  const nameOf = new Map(usable.map(([name, value]) => [value, name]));
  const used = new Set([...taken, ...stored.keys()]);
  const values = new Map<string, string>();
  const references = new Map<string, string>();
  for (const { input, value } of secrets) {
    if (references.has(value)) continue;
    const known = nameOf.get(value);
    const isFree = (name: string): boolean => !used.has(name) && !isShadowed(name, value);
    const variable = known ?? variableFor(server, { name: input, where: ["env", input] }, isFree);
    used.add(variable);
    if (known === undefined) values.set(variable, value);
    references.set(value, store?.reference(variable) ?? `\${${variable}}`);
  }
  return {
    references,
    additions: store && { store, values },
    toSet: store === undefined ? [...values.keys()] : [],
  };
}
