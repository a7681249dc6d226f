import { dirname } from "node:path";
import { reasonOf, workbenchError, type WorkbenchError } from "../errors.ts";
import { readRegularFile } from "../files/regular.ts";
import { accept } from "./accept.ts";
import { homeDir, thisMachine } from "./directories.ts";
import { expand, type Environment } from "./expand.ts";
import { locateConfig, type LocatedConfig, type LocateOptions } from "./locate.ts";
import { missingVariables, unavailableText } from "./missing.ts";
import { normalise } from "./normalise.ts";
import { readPlainJson } from "./plain-json.ts";
import { renderProblems, type Locate, type Problem } from "./problems.ts";
import { resolveSettings, type Surroundings } from "./resolve.ts";
import type { WorkbenchConfig } from "./schema.ts";
import type { WorkbenchSettings } from "./types.ts";

/**
 * From a file to settings, in two ways that give the same result. The quick one is synchronous and
 * needs neither Zod nor the tolerant parser; it gives up at the first doubt. The thorough one loads
 * what it needs to read comments, to find places and to explain everything that is wrong at once.
 */

export type LoadOptions = LocateOptions;

export interface ParseOptions {
  /** Named in messages; relative paths in the configuration count from its folder. */
  readonly file?: string | undefined;
  readonly env?: Environment | undefined;
  /** Takes the place of the folder when there is no file. */
  readonly cwd?: string | undefined;
}

/** A configuration file, read but not checked. */
export interface FoundConfig extends LocatedConfig {
  readonly text: string;
}

/** The same with the bytes it was read from. Whether it may be used is not known yet. */
export interface UntrustedConfig extends FoundConfig {
  readonly bytes: Buffer;
}

/** Finds and reads the configuration file; one that was found by the folder has to be trusted. */
export async function findConfig(options: LoadOptions = {}): Promise<FoundConfig> {
  return readConfig(locateConfig(options), options.env);
}

/** Reads a configuration that may be used. What was judged is what is given back. */
export async function readConfig(
  located: LocatedConfig,
  env: Environment = process.env,
): Promise<FoundConfig> {
  const found = readUntrusted(located);
  if (!found.byFolder) return found;
  const { requireTrust } = await import("./trust.ts");
  await requireTrust(found, env);
  return found;
}

/** Reads a configuration to look at it, trusted or not. */
export function readUntrusted(located: LocatedConfig): UntrustedConfig {
  const bytes = readConfigFile(located.file);
  return { ...located, bytes, text: textOf(bytes) };
}

/** What a configuration file says, however it is encoded. */
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
  return parseConfigFast(text, options) ?? parseThoroughly(text, options, "text");
}

/**
 * Checks a configuration given as an object, by the same rules as a file: variables are expanded,
 * and relative paths count from `cwd`.
 */
export async function resolveConfig(
  config: WorkbenchConfig,
  options: Omit<ParseOptions, "file"> = {},
): Promise<WorkbenchSettings> {
  const text = serialise(config);
  return parseConfigFast(text, options) ?? parseThoroughly(text, options, "object");
}

/** `parseConfig` as far as it goes without waiting; undefined when it takes a closer look. */
export function parseConfigFast(
  text: string,
  options: ParseOptions = {},
): WorkbenchSettings | undefined {
  const { env = process.env } = options;
  const plain = readPlainJson(withoutByteOrderMark(text));
  if (plain === undefined) return undefined;
  const expanded = expand(normalise(plain.value).value, env);
  const missing = missingVariables(expanded);
  // Somebody will have to be told, with line and column.
  const flawed = expanded.problems.length + missing.problems.length + missing.byServer.size > 0;
  const config = flawed ? undefined : accept(expanded.value);
  if (config === undefined) return undefined;
  const findings = { uses: expanded.uses, unavailable: new Map<string, string>() };
  return resolveSettings(config, findings, surroundingsOf(options));
}

async function parseThoroughly(
  text: string,
  options: ParseOptions,
  given: "text" | "object",
): Promise<WorkbenchSettings> {
  const { readDocument } = await import("./syntax.ts");
  const document = readDocument(withoutByteOrderMark(text));
  // Lines and columns of an object that was serialised here mean nothing to anybody.
  const locate: Locate = given === "text" ? document.locate : () => undefined;
  const fail = (problems: readonly Problem[]): WorkbenchError =>
    invalid(options.file ?? `(given as ${given})`, renderProblems(problems, locate));
  if (document.value === undefined) throw fail(document.problems);

  const { value, originOf } = normalise(document.value.root);
  const expanded = expand(value, options.env ?? process.env);
  const missing = missingVariables(expanded);
  const verdict = await judge(expanded.value);
  const inCanonicalForm = [
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
  const findings = { uses: expanded.uses, unavailable };
  return resolveSettings(verdict.value, findings, surroundingsOf(options));
}

async function judge(config: unknown) {
  const accepted = accept(config);
  if (accepted !== undefined) return { ok: true, value: accepted } as const;
  const { explain } = await import("./explain.ts");
  return explain(config);
}

function surroundingsOf({ file, env, cwd = process.cwd() }: ParseOptions): Surroundings {
  const baseDir = file === undefined ? cwd : dirname(file);
  return { file, baseDir, home: homeDir(thisMachine(env)) };
}

function readConfigFile(file: string): Buffer {
  try {
    return readRegularFile(file);
  } catch (error) {
    const problem = `the file cannot be read: ${reasonOf(error)}. Check the path and its permissions`;
    throw invalid(file, [problem], error);
  }
}

function textOf(bytes: Buffer): string {
  // What `>` writes in older versions of PowerShell.
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
    const problem = "contains a cycle or a value that JSON cannot express. Give plain data";
    throw invalid("(given as object)", [problem], error);
  }
}

function invalid(file: string, problems: string[], cause?: unknown): WorkbenchError {
  return workbenchError("CONFIG_INVALID", { file, problems }, undefined, cause);
}
