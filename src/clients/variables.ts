import { basename } from "node:path";

import type { VariableSyntax } from "./types.ts";
import { snakeWords } from "../text/snake-words.ts";

/** A text with references in the form of our configuration, and remarks for the user. */
export interface Translated {
  readonly text: string;
  /** Small changes of meaning. */
  readonly notes: readonly string[];
  /** References without an equivalent, which keep the server from working as before. */
  readonly problems: readonly string[];
}

export interface VariableContext {
  readonly syntax: VariableSyntax;
  /** The value of `${workspaceFolder}`, if known. */
  readonly project?: string | undefined;
}

const NAME = /^[A-Za-z_]\w*(?::-[^}]*)?$/;

/** Translates references to variables from a client's syntax to `${VAR}`. */
export function translateVariables(text: string, context: VariableContext): Translated {
  const notes: string[] = [];
  const problems: string[] = [];
  if (context.syntax === "secrets") return { text: translateSecrets(text), notes, problems };
  if (context.syntax === "none") {
    if (text.includes("${"))
      notes.push("the client does not expand variables, so '${' is kept as text");
    return { text: text.replaceAll("${", () => "$${"), notes, problems };
  }
  const translate = (reference: string, inner: string): string => {
    const fixed = FIXED.get(inner);
    if (fixed !== undefined) return fixed;
    if (NAME.test(inner) && !WORKSPACE.has(inner)) return reference;
    const [kind, ...rest] = inner.split(":");
    const name = rest.join(":");
    if (kind === "env" && NAME.test(name)) return `\${${name}}`;
    if (kind === "input") {
      const variable = variableName(name);
      notes.push(`the client asks for '${name}'; set the variable ${variable} instead`);
      return `\${${variable}}`;
    }
    if (WORKSPACE.has(inner) && context.project !== undefined) {
      return inner.endsWith("Basename") ? basename(context.project) : context.project;
    }
    problems.push(`${reference} has no equivalent here; replace it with a fixed value`);
    return `$${reference}`;
  };
  let result = text;
  if (context.syntax === "curly") {
    result = result.replaceAll(/(?<!\$)\{(env|file):([^}]*)\}/g, "${$1:$2}");
  }
  result = result.replaceAll(/\$\{([^}]*)\}/g, translate);
  if (context.syntax === "dollar") {
    result = result.replaceAll(/\$\{[^}]*\}|\$([A-Za-z_]\w*)/g, (all, name?: string) =>
      name === undefined ? all : `\${${name}}`,
    );
  }
  return { text: result, notes, problems };
}

/** Translates `${{ secrets.NAME }}`; any other `${` is text. */
function translateSecrets(text: string): string {
  return text.replaceAll(
    /\$\{\{\s*(?:secrets|inputs)\.([\w-]+)\s*\}\}|\$\{/g,
    (_all, name?: string) => {
      if (name === undefined) return "$${";
      return `\${${NAME.test(name) ? name : variableName(name)}}`;
    },
  );
}

const FIXED = new Map([
  ["userHome", "${HOME}"],
  ["pathSeparator", "/"],
  ["/", "/"],
]);
const WORKSPACE = new Set(["workspaceFolder", "workspaceRoot", "workspaceFolderBasename"]);

/** A valid name for an environment variable, from any words. */
export function variableName(words: string): string {
  const name = snakeWords(words).toUpperCase();
  return /^[A-Z]/.test(name) ? name : `VALUE${name === "" ? "" : `_${name}`}`;
}

/** The variables that some texts refer to, without those that have a default. */
export function variablesIn(texts: readonly string[]): readonly string[] {
  const found = texts.flatMap((text) => [
    ...text.matchAll(/(?<!\$)\$\{(?:env:)?([A-Za-z_]\w*)\}/g),
  ]);
  return [...new Set(found.map(([, name = ""]) => name))];
}
