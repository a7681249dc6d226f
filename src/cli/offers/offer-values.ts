import { variableName } from "../../clients/variables.ts";
import { type FilledEntry, filledEntry, type InputValues } from "../../offers/fill.ts";
import type { Offer } from "../../offers/offer.ts";
import type { WrittenPart } from "../../offers/written-text.ts";
import type { Context } from "../core/command.ts";
import type { GivenValues } from "./ask-values.ts";
import { type FoundOffer, refusalOf } from "./find-offer.ts";
import { REFERENCE } from "./input-value.ts";
import type { TypedSecret } from "./store-secrets.ts";

/**
 * The secrets that the user typed, each with the name of its input, which may have several; references
 * are not among them.
 */
export function literalSecrets({ inputs }: Offer, given: GivenValues): readonly TypedSecret[] {
  return inputs
    .filter(({ isSecret }) => isSecret)
    .flatMap(({ name }) => (given.get(name) ?? []).map((value) => ({ input: name, value })))
    .filter(({ value }) => value !== "" && !REFERENCE.test(value));
}

/** The user's values, else the publisher's. A dry run shows a variable for what is missing, or the flag. */
export function valuesOf(
  { args }: Pick<Context, "args">,
  { inputs }: Offer,
  given: GivenValues,
  references: ReadonlyMap<string, string>,
): InputValues {
  const values = new Map<string, readonly WrittenPart[]>();
  for (const { name, default: preset, isSecret, isRequired, format } of inputs) {
    const own = given.get(name);
    if (own !== undefined)
      values.set(
        name,
        own.map((text) => ({
          text: isSecret ? (references.get(text) ?? text) : text,
          from: "user",
        })),
      );
    else if (preset !== undefined)
      values.set(
        name,
        preset.map((text) => ({ text, from: "publisher" })),
      );
    else if (isRequired && args.flag("dry-run"))
      values.set(name, [
        { text: format === "flag" ? "true" : `\${${variableName(name)}}`, from: "user" },
      ]);
  }
  return values;
}

/** The entry for the configuration. */
export function entryFor({ offer }: FoundOffer, values: InputValues): FilledEntry {
  try {
    return filledEntry(offer, values);
  } catch (error) {
    throw refusalOf(offer.name, error);
  }
}
