import type { z } from "zod";
import { unknownKeyMessage } from "./hints.ts";
import { nameProblems } from "../check/names.ts";
import { perUserProblems } from "../per-user.ts";
import { pathText, type ConfigPath, type Problem } from "../problems.ts";
import {
  configSchema,
  localServerSchema,
  remoteServerSchema,
  scriptsServerSchema,
  type ParsedConfig,
} from "../schema.ts";
import { typeName, valueSentence } from "./sentences.ts";
import { valueAt } from "../../text/json.ts";

/**
 * Validates with the Zod schema what the fast check could not decide, and words what it reports.
 * This module and the schema are loaded only for that.
 */

export type Verdict =
  | { readonly ok: true; readonly value: ParsedConfig }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Issue = z.core.$ZodIssue;

export function explain(config: unknown): Verdict {
  const result = configSchema.safeParse(config);
  if (result.success) {
    const problems = perUserProblems(result.data);
    return problems.length > 0 ? { ok: false, problems } : { ok: true, value: result.data };
  }
  const issues = result.error.issues.map((issue) => ({ issue, path: configPath(issue.path) }));
  const faultyServers = unique(
    issues.map(({ path }) => path.slice(0, SERVER_DEPTH)).filter(isServerPath),
    pathText,
  );
  const problems = [
    // The schema checks names only where everything else is valid.
    ...nameProblems(config),
    ...issues
      .filter(({ path }) => !isServerPath(path.slice(0, SERVER_DEPTH)))
      .flatMap(({ issue, path }) => problemsOf(issue, path, config)),
    ...faultyServers.flatMap((path) => serverProblems(path, config)),
  ];
  return { ok: false, problems: unique(problems, (found) => pathText(found.path) + found.message) };
}

/** As in `toolboxes.dev.mcpServers.github`. */
const SERVER_DEPTH = 4;

function isServerPath(path: ConfigPath): boolean {
  return path.length === SERVER_DEPTH && path[0] === "toolboxes" && path[2] === "mcpServers";
}

function configPath(path: readonly PropertyKey[]): ConfigPath {
  return path.map((step) => (typeof step === "number" ? step : String(step)));
}

function problemsOf(issue: Issue, path: ConfigPath, config: unknown): Problem[] {
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: [...path, key],
        at: "key",
        message: unknownKeyMessage(key, path, valueAt(config, path)),
      }));
    case "invalid_key":
      return issue.issues.map(({ message }) => ({ path, at: "key", message }));
    case "invalid_union":
      return unionProblems(issue, path, config);
    case "custom":
      return [
        { path, at: issue.params?.["at"] === "key" ? "key" : "value", message: issue.message },
      ];
    default:
      return [{ path, at: "value", message: valueSentence(issue, valueAt(config, path)) }];
  }
}

/** Explains a value that may be an object or something simpler: as the object, if it is one. */
function unionProblems(
  { errors }: Extract<Issue, { code: "invalid_union" }>,
  path: ConfigPath,
  config: unknown,
): Problem[] {
  const value = valueAt(config, path);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const alternative = isObject
    ? errors.find(
        (issues) =>
          !issues.some(
            ({ path: { length }, code }) => length === 0 && code !== "unrecognized_keys",
          ),
      )
    : undefined;
  const chosen = alternative ?? errors.at(-1) ?? [];
  return chosen.flatMap((issue) => problemsOf(issue, [...path, ...configPath(issue.path)], config));
}

/** Validates a server as the kind that its keys indicate; the schema would report on both kinds. */
function serverProblems(path: ConfigPath, config: unknown): Problem[] {
  const server = valueAt(config, path);
  const problem = (message: string): Problem => ({ path, at: "key", message });
  if (typeof server !== "object" || server === null || Array.isArray(server)) {
    return [
      problem(
        `expected an object, got ${typeName(server)}. Write { "command": … } or { "url": … }`,
      ),
    ];
  }
  const local = Object.hasOwn(server, "command");
  const remote = Object.hasOwn(server, "url");
  const scripts = !local && !remote && Object.hasOwn(server, "scripts");
  const own = scripts ? scriptsServerSchema : localServerSchema;
  const schema = remote ? remoteServerSchema : own;
  const issues = schema.safeParse(server).error?.issues ?? [];
  const problems = issues.flatMap((issue) =>
    problemsOf(issue, [...path, ...configPath(issue.path)], config).map(explainType),
  );
  if (local && remote) {
    const both =
      'has both "command" and "url". Keep "command" to start a program, or "url" to reach a remote server';
    return [problem(both), ...problems.filter(({ at }) => at !== "key")];
  }
  if (!local && !remote && !scripts) {
    const neither =
      'has neither "command" nor "url". Add "command" to start a program, or "url" to reach a remote server';
    const missing = pathText([...path, "command"]);
    return [problem(neither), ...problems.filter((other) => pathText(other.path) !== missing)];
  }
  return problems;

  /** The schema knows which values of `type` are allowed, but not why. */
  function explainType(found: Problem): Problem {
    if (found.path.length !== path.length + 1 || found.path.at(-1) !== "type") return found;
    const message = remote
      ? 'does not match "url". Write "http" or "sse", or leave it out'
      : 'does not match "command", which starts a program. Write "stdio", or leave it out';
    return { ...found, message };
  }
}

function unique<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [textOf(item), item])).values()];
}
