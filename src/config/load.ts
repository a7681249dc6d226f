import { reasonOf, workbenchError, type WorkbenchError } from "../errors.ts";
import { readRegularFile } from "../files/read-regular-file.ts";
import { NO_FILES, readEnvFiles } from "./env-files.ts";
import type { Rule } from "./check/rule.ts";
import { fastCheck } from "./check/fast-check.ts";
import { expand, type Environment, type StoredValues } from "./canonical/expand.ts";
import { locateConfig, type LocatedConfig, type LocateOptions } from "./locate.ts";
import { missingVariables, unavailableText } from "./canonical/missing.ts";
import { normalise } from "./canonical/normalise.ts";
import { readPlainJson } from "./canonical/plain-json.ts";
import { contextOf } from "./canonical/paths.ts";
import { renderProblems, type Locate, type Problem } from "./problems.ts";
import { resolveSettings, type Diagnostics } from "./canonical/resolve.ts";
import type { WorkbenchConfig } from "./schema.ts";
import type { WorkbenchSettings } from "./types.ts";

/**
 * Turns a file into settings, on two paths with the same result. The fast path is synchronous and
 * needs neither Zod nor the tolerant parser; it gives up as soon as it cannot decide. The thorough
 * path loads both, to read comments, locate values and report all problems at once.
 */

export type LoadOptions = LocateOptions;

export interface ParseOptions {
  /** Named in messages; relative paths in the configuration are resolved against its folder. */
  readonly file?: string | undefined;
  readonly env?: Environment | undefined;
  /** Used instead of that folder when there is no file. */
  readonly cwd?: string | undefined;
  /** False: env files are not read, only `env`. */
  readonly readsSecrets?: boolean | undefined;
}

/** A configuration file, read but not checked. */
export interface FoundConfig extends LocatedConfig {
  readonly text: string;
}

/** The same with the bytes it was read from. Its trust has not been checked yet. */
export interface UntrustedConfig extends FoundConfig {
  readonly bytes: Buffer;
}

/** Finds and reads the configuration file. One found in the current folder must be trusted. */
export async function findConfig(options: LoadOptions = {}): Promise<FoundConfig> {
  return readConfig(locateConfig(options), options.env);
}

/** Reads a configuration and checks its trust. The text returned is the text that was checked. */
export async function readConfig(
  located: LocatedConfig,
  env: Environment = process.env,
): Promise<FoundConfig> {
  const found = readUntrusted(located);
  if (!found.fromCurrentFolder) return found;
  const { requireTrust } = await import("./trust/trust.ts");
  await requireTrust(found, env);
  return found;
}

/** Reads a configuration without checking its trust, to inspect it. */
export function readUntrusted(located: LocatedConfig): UntrustedConfig {
  const bytes = readConfigFile(located.file);
  return { ...located, bytes, text: textOf(bytes) };
}

/** The text of a configuration file, in UTF-8 or UTF-16. */
export function readConfigText(file: string): string {
  return textOf(readConfigFile(file));
}

/** Finds, reads and checks the configuration file. */
export async function loadConfig(options: LoadOptions = {}): Promise<WorkbenchSettings> {
  const { file, text } = await findConfig(options);
  return parseConfig(text, { ...options, file });
}

/** Checks the text of a configuration file. */
export async function parseConfig(
  text: string,
  options: ParseOptions = {},
): Promise<WorkbenchSettings> {
  return parse(text, options, "text");
}

/**
 * Checks a configuration given as an object, by the same rules as a file: variables are expanded,
 * and relative paths are resolved against `cwd`.
 */
export async function resolveConfig(
  config: WorkbenchConfig,
  options: Omit<ParseOptions, "file"> = {},
): Promise<WorkbenchSettings> {
  return parse(serialise(config), options, "object");
}

async function parse(
  text: string,
  options: ParseOptions,
  given: "text" | "object",
): Promise<WorkbenchSettings> {
  return parseConfigFast(text, options) ?? parseThoroughly(text, options, given);
}

/** The synchronous part of `parseConfig`; undefined when the thorough path is needed. */
export function parseConfigFast(
  text: string,
  options: ParseOptions = {},
): WorkbenchSettings | undefined {
  const plain = readPlainJson(withoutByteOrderMark(text));
  if (plain === undefined) return undefined;
  // Sign-ins of other programs, and settings and references that have to do with sign-ins or secrets,
  // are left to the thorough path: neither `expand` nor the check accepts them.
  const { value } = normalise(plain.value);
  const source = variableSource(text, value, options);
  if (source.failure !== undefined) throw source.failure;
  const expanded = expand(value, source.env, source.stored);
  const missing = missingVariables(expanded);
  // The thorough path reports these with line and column.
  const flawed =
    source.problems.length +
      expanded.problems.length +
      missing.problems.length +
      missing.byServer.size >
    0;
  const config = flawed ? undefined : fastCheck(expanded.value);
  if (config === undefined) return undefined;
  const unavailable = new Map<string, string>();
  return resolveSettings(
    config,
    { ...source, uses: expanded.uses, unavailable },
    contextOf(options),
  );
}

async function parseThoroughly(
  text: string,
  options: ParseOptions,
  given: "text" | "object",
): Promise<WorkbenchSettings> {
  const thorough = await import("./canonical/thorough.ts");
  const document = thorough.readDocument(withoutByteOrderMark(text));
  // Lines and columns of an object that was serialised here would mean nothing to the reader.
  const locate: Locate = given === "text" ? document.locate : () => undefined;
  const fail = (problems: readonly Problem[]): WorkbenchError =>
    invalid(options.file ?? `(given as ${given})`, renderProblems(problems, locate));
  if (document.value === undefined) throw fail(document.problems);

  const { value, originOf } = normalise(document.value.root, thorough);
  const source = variableSource(text, value, options);
  if (source.failure !== undefined) throw source.failure;
  const expanded = expand(value, source.env, source.stored, thorough.references);
  const missing = missingVariables(expanded);
  const verdict = await validate(expanded.value, thorough.ALL_RULES);
  const inCanonicalForm = [
    ...thorough.misplacedSecrets(expanded.secrets),
    ...source.problems,
    ...expanded.problems,
    ...missing.problems,
    ...(verdict.ok ? [] : verdict.problems),
  ];
  const problems = [
    ...document.problems,
    ...inCanonicalForm.map((problem) => ({ ...problem, path: originOf(problem.path) })),
  ];
  if (!verdict.ok || problems.length > 0) throw fail(problems);

  const unavailable = new Map(
    [...missing.byServer].map(([key, uses]) => [key, unavailableText(uses, originOf, locate)]),
  );
  const context = contextOf(options);
  const { uses, secrets } = expanded;
  const reach = await thorough.reachOf(secrets, text, options);
  const references = thorough.secretTexts(secrets, verdict.value, { ...context, reach });
  return resolveSettings(verdict.value, { ...source, uses, references, unavailable }, context);
}

async function validate(config: unknown, rules: Rule) {
  const accepted = fastCheck(config, rules);
  if (accepted !== undefined) return { ok: true, value: accepted } as const;
  const { explain } = await import("./explain/explain.ts");
  return explain(config);
}

interface VariableSource extends Pick<Diagnostics, "envFiles" | "secretValues"> {
  readonly env: Environment;
  readonly stored: StoredValues;
  readonly problems: readonly Problem[];
  readonly failure: WorkbenchError | undefined;
}

/**
 * The variables that the references of a configuration may use. Values from env files win over the
 * environment: they were written for the workbench, while a client may have been started with an
 * older or a different value. Without references nothing is read.
 */
function variableSource(text: string, config: unknown, options: ParseOptions): VariableSource {
  const { env = process.env, readsSecrets = true } = options;
  const isNeeded = readsSecrets && text.includes("${");
  const {
    files,
    variables: stored,
    problems,
    failure,
  } = isNeeded ? readEnvFiles(config, { ...contextOf(options), env }) : NO_FILES;
  const secretValues = (): Iterable<string> => stored.values();
  return { env, stored, envFiles: files, problems, failure, secretValues };
}

function readConfigFile(file: string): Buffer {
  try {
    return readRegularFile(file);
  } catch (error) {
    const problem = `cannot read the file: ${reasonOf(error)}. Check the path and its permissions`;
    throw invalid(file, [problem], error);
  }
}

function textOf(bytes: Buffer): string {
  // `>` in older versions of PowerShell writes UTF-16.
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return withoutByteOrderMark(bytes.toString(isUtf16 ? "utf16le" : "utf8"));
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function serialise(config: unknown): string {
  try {
    return JSON.stringify(config) ?? "null";
  } catch (error) {
    const problem = "contains a cycle or a value that JSON cannot represent. Pass plain data";
    throw invalid("(given as object)", [problem], error);
  }
}

function invalid(file: string, problems: string[], cause?: unknown): WorkbenchError {
  return workbenchError("CONFIG_INVALID", { file, problems }, undefined, cause);
}
