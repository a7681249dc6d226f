/**
 * A server that can be added to the configuration, from a registry or a bundle: what runs, and what
 * the user has to decide. Its texts were written by the publisher and are untrusted. They become
 * arguments, never part of a command for a shell.
 */

/** A text of the publisher, with the values of inputs in it. */
export type Template = readonly TemplatePart[];
export type TemplatePart = string | { readonly input: string };

/**
 * Words of a command line that belong together, such as an option and its value. They are left out if
 * one of their inputs has no value, and repeated for each value if the input has several.
 */
export interface WordGroup {
  readonly words: readonly Template[];
  /** Inputs that must have a value, too. */
  readonly needs?: readonly string[];
  /** The input that decides whether the words are given: `true` or `false`. */
  readonly flag?: string;
}

export interface NamedTemplate {
  readonly name: string;
  readonly value: Template;
}

/** Where a server comes from, and in which form. */
export const OFFER_KINDS = ["npm", "pypi", "oci", "nuget", "mcpb", "remote"] as const;
export type OfferKind = (typeof OFFER_KINDS)[number];

/** What the user decides about. */
export interface OfferInput {
  /** For `--set` and questions; unique in the offer. */
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The value is stored as a secret, never in the configuration. */
  readonly isSecret: boolean;
  /** A `flag` decides whether words are given at all, so its value must be known now. */
  readonly format: "string" | "number" | "boolean" | "path" | "flag";
  /** The publisher's values if the user gives none. */
  readonly default?: readonly string[];
  /** The only values that are allowed. */
  readonly choices: readonly string[];
  /** It may have several values. */
  readonly isRepeated: boolean;
  readonly min?: number;
  readonly max?: number;
}

export interface Offer {
  readonly kind: OfferKind;
  /** Its name in the registry or in the manifest. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The package, image, file or address, without its version. */
  readonly identifier: string;
  /** The version of the package; null for a remote server. */
  readonly packageVersion: string | null;
  readonly transport: "stdio" | "streamable-http" | "sse";
  readonly runs?: OfferedProgram;
  readonly connects?: OfferedAddress;
  readonly inputs: readonly OfferInput[];
  /** What else users should know before they agree. */
  readonly notes: readonly string[];
}

export interface OfferedProgram {
  readonly command: string;
  readonly args: readonly WordGroup[];
  readonly env: readonly NamedTemplate[];
  readonly cwd?: string;
}

export interface OfferedAddress {
  readonly url: Template;
  readonly headers: readonly NamedTemplate[];
}

/** Why a package or address of a server cannot be used. */
export interface Refusal {
  readonly kind: string;
  readonly identifier: string;
  readonly reason: string;
}

/** Why an offer cannot be used; its message follows a colon. */
export class NotRunnable extends Error {
  override readonly name = "NotRunnable";
}

/** By its name: several bundles contain the class. */
export function isNotRunnable(error: unknown): error is NotRunnable {
  return error instanceof Error && error.name === "NotRunnable";
}
