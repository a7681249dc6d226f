import { homeDir, thisMachine } from "../../config/directories.ts";
import type { Offer, OfferInput } from "../../offers/offer.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { checkedValue, type PathContext, readSettings, usage } from "./input-value.ts";

/** The values that the user gave, by the name of the input. Those of the publisher are not among them. */
export type GivenValues = ReadonlyMap<string, readonly string[]>;

/** Takes values from `--set`, and asks for the others in a terminal. Throws if one is missing. */
export async function askValues(context: Context, { inputs }: Offer): Promise<GivenValues> {
  const { args, prompt, cwd, env } = context;
  const place: PathContext = { cwd, home: homeDir(thisMachine(env)) };
  const given = readSettings(args.list("set"), inputs);
  const asks = prompt.available && !args.flag("yes") && !args.flag("dry-run");
  const values = new Map<string, readonly string[]>();
  for (const input of inputs) {
    const set = given.get(input.name);
    const texts = set?.map((text) => accepted(input, text, place)) ?? [];
    const all = set === undefined && asks ? await asked(context, input, place) : texts;
    if (set !== undefined || all.length > 0) values.set(input.name, all);
  }
  const isEmpty = (given: readonly string[]): boolean =>
    given.length > 0 && given.every((text) => text === "");
  const missing = inputs.filter(({ name, isRequired, default: preset }) => {
    const given = values.get(name);
    return isRequired && (given === undefined ? preset === undefined : isEmpty(given));
  });
  if (missing.length > 0 && !args.flag("dry-run")) {
    const names = missing.map(
      ({ name, isSecret }) => `${visible(name)}${isSecret ? " (secret)" : ""}`,
    );
    const hint =
      "Give each with --set NAME=VALUE. For a secret that is stored already, --set NAME refers to it";
    throw usage(`Values are missing: ${names.join(", ")}`, hint);
  }
  return values;
}

function accepted(input: OfferInput, text: string, place: PathContext): string {
  const checked = checkedValue(input, text, place);
  if ("value" in checked) return checked.value;
  throw usage(visible(checked.problem));
}

/** Asks until the answer is allowed. None for an empty answer: the default applies, or nothing. */
async function asked(
  context: Context,
  input: OfferInput,
  place: PathContext,
): Promise<readonly string[]> {
  const { out } = context;
  const values: string[] = [];
  for (;;) {
    const text = await answerTo(context, input, values.length);
    if (text === "") {
      if (values.length > 0 || !input.isRequired || input.default !== undefined) return values;
      out.say(`${visible(input.name)} is required.`);
      continue;
    }
    const checked = checkedValue(input, text, place);
    if ("problem" in checked) {
      out.say(`${visible(checked.problem)}.`);
      continue;
    }
    values.push(checked.value);
    if (!input.isRepeated) return values;
  }
}

async function answerTo({ prompt }: Context, input: OfferInput, count: number): Promise<string> {
  const { name, isSecret, isRequired, choices } = input;
  const label = visible(name);
  if (isSecret)
    return prompt.askHidden(`${label} (not shown${isRequired ? "" : ", empty for none"}): `);
  if (choices.length > 0) {
    const preset = choices.indexOf(input.default?.[0] ?? "");
    const question = `${label}?`;
    const [index] = await prompt.choose(
      question,
      choices.map(visible),
      preset === -1 ? [] : [preset],
    );
    return index === undefined ? "" : (choices[index] ?? "");
  }
  const preset = input.default?.join(", ");
  const empty = preset === undefined ? "none" : preset;
  const more = count > 0 ? " (another one, or empty)" : isRequired ? "" : ` (empty for ${empty})`;
  return prompt.ask(`${label}${more}:`);
}
