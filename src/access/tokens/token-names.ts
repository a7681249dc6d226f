import { workbenchError } from "../../errors.ts";

/** Policy rules, logs and commands refer to tokens by these names. */
export const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The names of other principals; a token must not be taken for one of them. */
const RESERVED: ReadonlySet<string> = new Set(["owner", "stdio", "local", "oauth", "token"]);

/** Throws if a new token cannot have this name. */
export function checkTokenName(name: string): void {
  if (!NAME_PATTERN.test(name))
    throw workbenchError(
      "USAGE",
      { reason: `'${name}' is not a valid name for a token` },
      "Use up to 64 letters, digits, '.', '_' and '-', such as ci or alice-laptop",
    );
  if (RESERVED.has(name.toLowerCase()))
    throw workbenchError("USAGE", { reason: `The name '${name}' is reserved` }, "Use another name");
}
