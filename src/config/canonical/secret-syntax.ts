import type { WrittenSecret } from "./expand.ts";

const SECRET =
  /^(?:(keychain):([A-Za-z_]\w*)|(command):([A-Za-z_][\w.-]*?)|(file):([^]+?))(?::-([^]*))?$/;

/** The secret that a reference names; undefined for a variable and for a malformed one. */
export function secretIn(written: string): WrittenSecret | undefined {
  const match = written.endsWith("}") ? SECRET.exec(written.slice(0, -1)) : null;
  if (match === null || match[7]?.includes("${")) return undefined;
  const [, keychain, inKeychain, command, commandName, file, path, fallback] = match;
  const kind = (keychain ?? command ?? file) as WrittenSecret["kind"];
  return { kind, name: inKeychain ?? commandName ?? path ?? "", fallback };
}

/** What is wrong with a reference. Its text may contain a secret and is not quoted. */
export function adviceFor(inside: string, closed: boolean): string {
  if (inside.includes("${")) {
    return "a default cannot refer to another variable. Write a plain default after ':-'";
  }
  if (!closed) return "'${' has no closing '}'. Write ${NAME}, or $${ for a literal '${'";
  if (inside.startsWith("input:")) {
    return "'${input:…}' prompts for input in an editor, which the workbench cannot do. Use an environment variable: ${NAME}";
  }
  const [, kind] = /^(keychain|command|file):/.exec(inside) ?? [];
  if (kind !== undefined) return `'\${${kind}:…}' does not name a secret. Write ${EXAMPLES[kind]}`;
  return "'${…}' does not contain a variable name. Write ${NAME} or ${NAME:-default}, or $${ for a literal '${'";
}

const EXAMPLES: Readonly<Record<string, string>> = {
  keychain: "${keychain:NAME}, with letters, digits and '_'",
  command: "${command:NAME}, with a name from 'secretCommands'",
  file: "${file:PATH}",
};
