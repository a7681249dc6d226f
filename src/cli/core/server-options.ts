import { workbenchError } from "../../errors.ts";

/** `--env NAME=value`; a name without a value refers to the variable of that name. */
export function readEnv(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    values.map((value) => {
      const at = value.indexOf("=");
      const name = at === -1 ? value : value.slice(0, at);
      if (!/^[A-Za-z_]\w*$/.test(name)) {
        const reason = `--env takes NAME=value; '${name}' is not a valid variable name`;
        throw workbenchError("USAGE", { reason });
      }
      return [name, at === -1 ? `\${${name}}` : value.slice(at + 1)];
    }),
  );
}

/** `--header "Name: value"`. */
export function readHeaders(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    values.map((value) => {
      const found = /^([!#$%&'*+.^_`|~\w-]+)\s*[:=]\s*([^]*)$/.exec(value);
      const [, name, content] = found ?? [];
      if (name === undefined || content === undefined) {
        // The value is not repeated: it may be a secret.
        throw workbenchError("USAGE", { reason: `--header takes "Name: value"` });
      }
      return [name, content];
    }),
  );
}
