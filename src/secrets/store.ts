/** A place that keeps secrets by name. Nothing shows their values. */
export interface SecretStore {
  readonly kind: "env-file" | "keychain";
  /** The place in words: a path, or the keychain of the system. */
  readonly label: string;
  /** How a configuration refers to a secret in this place. */
  reference(name: string): string;
  /** Throws if secrets cannot be stored here at all. */
  assertUsable(): Promise<void>;
  /** The names and values that are stored, of these names. */
  get(names: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  /** All names that are stored. */
  names(): Promise<readonly string[]>;
  set(values: ReadonlyMap<string, string>): Promise<void>;
  /** Returns the names that were there. */
  remove(names: Iterable<string>): Promise<readonly string[]>;
}

/** Names that a configuration can refer to. */
export const SECRET_NAME = /^[A-Za-z_]\w*$/;
