import { NotRunnable, type WordGroup } from "../offer.ts";
import type { InputCollector } from "./inputs.ts";
import type { RegistryArgument } from "./schema.ts";

const OPTION_NAME = /^-{0,2}[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * Arguments in the order in which they are given. Named ones are two words, as most clients write them,
 * or one if they are flags. `isFlag` says of which options that is known.
 */
export function argumentGroups(
  args: readonly RegistryArgument[],
  inputs: InputCollector,
  isFlag: (name: string) => boolean = () => false,
): readonly WordGroup[] {
  return args.flatMap((arg, index) => {
    const { type, name, valueHint, isRepeated } = arg;
    // Without dashes, because the shell's words after `--set` may not begin with one.
    const named = type === "named" ? name?.replace(/^-+/, "") : valueHint;
    const label = (named || `argument_${index + 1}`).replaceAll(/\s+/g, "_");
    const repeats = isRepeated === true;
    if (type === "positional") return [{ words: [inputs.template(arg, label, repeats)] }];
    const option = name ?? "";
    if (!OPTION_NAME.test(option)) throw new NotRunnable(`'${option}' is not an option`);
    const words = [[option]];
    switch (useOf(arg, isFlag(option))) {
      case "given":
        return [{ words }];
      case "left out":
        return [];
      case "asked":
        return [{ words, flag: inputs.flag(arg, label) }];
      case "with value":
        return [{ words: [...words, inputs.template(arg, label, repeats)] }];
    }
  });
}

/** How a named argument is used. A flag has no value: it is given, or it is not. */
function useOf(
  arg: RegistryArgument,
  isFlag: boolean,
): "given" | "left out" | "asked" | "with value" {
  const { value, format, isSecret } = arg;
  if (value === "") return "given";
  if (isFlag || format === "boolean") {
    if (value === "true") return "given";
    if (value === "false") return "left out";
  }
  if (typeof value === "string") return "with value";
  if (isFlag || !isInput(arg)) return "given";
  return format === "boolean" && isSecret !== true ? "asked" : "with value";
}

/** Whether something says that the user has to give a value. */
function isInput(arg: RegistryArgument): boolean {
  const { format, description, placeholder, valueHint, choices, variables } = arg;
  const texts = [arg.default, description, placeholder, valueHint];
  if (texts.some((text) => typeof text === "string" && text !== "")) return true;
  if (arg.isSecret === true || arg.isRepeated === true) return true;
  if ((choices ?? []).length > 0 || Object.keys(variables ?? {}).length > 0) return true;
  if (format === "boolean") return false;
  return arg.isRequired === true || (typeof format === "string" && format !== "string");
}
