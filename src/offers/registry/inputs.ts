import { type NamedTemplate, NotRunnable, type OfferInput, type Template } from "../offer.ts";
import type { RegistryInput, RegistryKeyValue } from "./schema.ts";

type InputWithVariables = Pick<RegistryKeyValue, "variables"> & RegistryInput;

const MAX_INPUTS = 100;
/** Names are typed after `--set`. */
const NAME = /^[^\s=\p{C}]{1,100}$/u;
const VARIABLE = /\{([A-Za-z_][A-Za-z0-9_.-]*)\}/g;
const FORMATS = new Map<string, OfferInput["format"]>([
  ["number", "number"],
  ["boolean", "boolean"],
  ["filepath", "path"],
]);

interface FixedText {
  /** What the text is for. */
  readonly of: string;
  readonly isSecret?: boolean;
  readonly isRequired?: boolean;
  readonly isRepeated?: boolean;
}

interface AddedInput {
  readonly isRepeated?: boolean;
  /** What the value is a part of. */
  readonly of?: string;
  /** Instead of the one that the publisher names. */
  readonly format?: OfferInput["format"];
}

/** Collects the inputs of one offer while its templates are made. */
export class InputCollector {
  readonly #inputs: OfferInput[] = [];

  get inputs(): readonly OfferInput[] {
    return this.#inputs;
  }

  /** The template for a value: what the publisher fixed, with variables in it, or an input of its own. */
  template(given: InputWithVariables, name: string, isRepeated = false): Template {
    const { value, variables, isSecret, isRequired } = given;
    if (value === null || value === undefined)
      return [{ input: this.#add(name, given, { isRepeated }) }];
    return this.fixed(value, variables ?? {}, {
      of: name,
      isSecret: isSecret === true,
      isRequired: isRequired === true,
      isRepeated,
    });
  }

  /** The input that decides whether a flag is given. */
  flag(given: RegistryInput, name: string): string {
    return this.#add(name, given, { format: "flag" });
  }

  /** A fixed text with `{variables}`; unknown ones stay as they are. */
  fixed(
    text: string,
    variables: Readonly<Record<string, RegistryInput>>,
    { of, isSecret = false, isRequired = false, isRepeated = false }: FixedText,
  ): Template {
    const names = new Map<string, string>();
    const parts: (string | { readonly input: string })[] = [];
    let done = 0;
    for (const { 0: written, 1: variable = "", index } of text.matchAll(VARIABLE)) {
      const known = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      if (known === undefined) continue;
      parts.push(text.slice(done, index));
      done = index + written.length;
      const { value } = known;
      if (typeof value === "string") {
        parts.push(value);
        continue;
      }
      // A secret text makes what is filled into it a secret.
      const input = {
        ...known,
        isSecret: isSecret || known.isSecret === true,
        isRequired: isRequired || known.isRequired === true,
      };
      const given = names.get(variable) ?? this.#add(variable, input, { isRepeated, of });
      names.set(variable, given);
      parts.push({ input: given });
    }
    return [...parts, text.slice(done)].filter((part) => part !== "");
  }

  /** Environment variables or headers. */
  named(given: readonly RegistryKeyValue[], check: (name: string) => void): NamedTemplate[] {
    const seen = new Set<string>();
    return given.map((one) => {
      check(one.name);
      if (seen.has(one.name.toLowerCase()))
        throw new NotRunnable(`it sets ${one.name} more than once`);
      seen.add(one.name.toLowerCase());
      return { name: one.name, value: this.template(one, one.name) };
    });
  }

  /** Only the user may choose the value of this input. */
  forgetDefault(name: string): void {
    const at = this.#inputs.findIndex((input) => input.name === name);
    const { default: _default, ...input } = this.#inputs[at] ?? {};
    if (at !== -1) this.#inputs[at] = input as OfferInput;
  }

  #add(name: string, input: RegistryInput, { isRepeated = false, of, format }: AddedInput): string {
    const free = this.#freeName(name, of);
    if (!NAME.test(free)) throw new NotRunnable("the name of an input is not allowed");
    if (this.#inputs.length === MAX_INPUTS)
      throw new NotRunnable(`it has more than ${MAX_INPUTS} inputs`);
    const { description, placeholder, isRequired, isSecret, choices } = input;
    const example = placeholder ? `such as ${placeholder}` : "";
    const kind = format ?? FORMATS.get(input.format ?? "") ?? "string";
    const preset = input.default;
    this.#inputs.push({
      name: free,
      description: [description ?? "", example].filter((part) => part !== "").join("; "),
      isRequired: isRequired === true,
      isSecret: isSecret === true,
      format: kind,
      // A secret that everyone can read in the registry is not one.
      ...(typeof preset === "string" &&
        !isSecret &&
        isAllowed(preset, kind, choices ?? []) && { default: [preset] }),
      choices: choices ?? [],
      isRepeated,
    });
    return free;
  }

  /** Different places may have variables of the same name. */
  #freeName(name: string, of: string | undefined): string {
    const isFree = (one: string): boolean => this.#inputs.every((input) => input.name !== one);
    if (isFree(name)) return name;
    const longer = of === undefined ? name : `${of}.${name}`;
    if (isFree(longer)) return longer;
    for (let count = 2; ; count += 1) if (isFree(`${longer}.${count}`)) return `${longer}.${count}`;
  }
}

/** Whether the publisher's own default is one that a user could give. */
function isAllowed(
  value: string,
  format: OfferInput["format"],
  choices: readonly string[],
): boolean {
  if (choices.length > 0 && !choices.includes(value)) return false;
  if (format === "boolean" || format === "flag") return /^(?:true|false)$/.test(value);
  return format !== "number" || (value.trim() !== "" && Number.isFinite(Number(value)));
}
