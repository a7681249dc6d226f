import { addressProblem } from "../address-problem.ts";
import { inputsIn } from "../fill.ts";
import { checkEnvName, isSteering, runsItsArguments } from "../names.ts";
import { type NamedTemplate, NotRunnable, type OfferInput, type WordGroup } from "../offer.ts";
import { argumentGroups } from "./arguments.ts";
import { InputCollector } from "./inputs.ts";
import { checkedOptions, isFlagOf } from "./runtime-options.ts";
import type { RegistryArgument, RegistryKeyValue, RegistryPackage } from "./schema.ts";

/** How the packages of one kind are run. */
interface Launcher {
  /** The first is the default; others must be asked for by `runtimeHint`. */
  readonly programs: readonly string[];
  readonly identifier: RegExp;
  /** The registries that the program uses unless its user configured another one. */
  readonly home: RegExp;
  /** The option that names another registry. */
  readonly registryOption?: string;
  readonly commandLine: (parts: CommandLineParts) => readonly WordGroup[];
}

interface CommandLineParts {
  readonly identifier: string;
  readonly version: string;
  /** For Python: its `--from` with the extras in it; the program is then an argument. */
  readonly extras: string | undefined;
  readonly options: readonly WordGroup[];
  readonly args: readonly WordGroup[];
  readonly env: readonly NamedTemplate[];
}

const words = (...all: string[]): WordGroup => ({ words: all.map((word) => [word]) });

const LAUNCHERS: Readonly<Record<string, Launcher>> = {
  npm: {
    programs: ["npx"],
    identifier: /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i,
    home: /^https:\/\/registry\.npmjs\.org\/?$/,
    registryOption: "--registry",
    commandLine: ({ identifier, version, options, args }) => [
      words("-y"),
      ...options,
      words(`${identifier}@${version}`),
      ...args,
    ],
  },
  pypi: {
    programs: ["uvx"],
    identifier: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    home: /^https:\/\/pypi\.org(?:\/simple)?\/?$/,
    registryOption: "--default-index",
    commandLine: ({ identifier, version, extras, options, args }) => [
      ...options,
      ...(extras === undefined
        ? [words(`${identifier}@${version}`)]
        : [words("--from", `${identifier}${extras}==${version}`)]),
      ...args,
    ],
  },
  nuget: {
    programs: ["dnx"],
    identifier: /^[A-Za-z0-9_][A-Za-z0-9._-]*$/,
    home: /^https:\/\/api\.nuget\.org(?:\/v3\/index\.json)?\/?$/,
    registryOption: "--source",
    commandLine: ({ identifier, version, options, args }) => [
      words(`${identifier}@${version}`, "--yes"),
      ...options,
      ...(args.length > 0 ? [words("--"), ...args] : []),
    ],
  },
  oci: {
    programs: ["docker", "podman"],
    identifier: /^[a-z0-9][a-z0-9._-]*(?::\d{1,5})?(?:\/[a-z0-9][a-z0-9._-]*)*$/,
    home: /^https:\/\/(?:registry\.)?(?:hub\.)?docker\.(?:io|com)\/?$/,
    commandLine: ({ identifier, version, options, args, env }) => [
      words("run", "-i", "--rm"),
      ...options,
      // The program gets the variables; this passes them on into the container.
      ...env.map(({ name, value }) => ({ words: [["-e"], [name]], needs: inputsIn([value]) })),
      words(
        version.startsWith("sha256:") ? `${identifier}@${version}` : `${identifier}:${version}`,
      ),
      ...args,
    ],
  },
};

/** What a package runs, without its inputs filled in. */
export interface PackageProgram {
  readonly command: string;
  readonly args: readonly WordGroup[];
  readonly env: readonly NamedTemplate[];
  readonly inputs: readonly OfferInput[];
  readonly identifier: string;
  readonly version: string;
}

/** Throws NotRunnable with the reason if it cannot be run. */
export function packageProgram(given: RegistryPackage): PackageProgram {
  const launcher = Object.hasOwn(LAUNCHERS, given.registryType)
    ? LAUNCHERS[given.registryType]
    : undefined;
  if (launcher === undefined)
    throw new NotRunnable(`packages of the kind '${given.registryType}' are not supported`);
  if (given.transport.type !== "stdio")
    throw new NotRunnable(
      `it serves ${given.transport.type} on this machine. Start it yourself and add its URL`,
    );
  const [preferred = ""] = launcher.programs;
  const command = given.runtimeHint ?? preferred;
  if (!launcher.programs.includes(command))
    throw new NotRunnable(
      `it asks for the program '${command}', but ${given.registryType} packages are run with ${launcher.programs.join(" or ")}`,
    );
  const { identifier, version } = exactVersion(given);
  if (identifier.length > 214 || !launcher.identifier.test(identifier))
    throw new NotRunnable(`'${identifier}' is not a name of a package`);
  const inputs = new InputCollector();
  const { origin, others } = splitFrom(
    command,
    withoutPackage(given.runtimeArguments ?? [], { ...given, identifier, version }),
    identifier,
  );
  const options = checkedOptions(
    command,
    argumentGroups(others, inputs, (option) => isFlagOf(command, option)),
    (name) => inputs.forgetDefault(name),
  );
  const args = argumentGroups(given.packageArguments ?? [], inputs);
  if (origin !== undefined) checkProgram(args);
  const env = environmentOf(given.environmentVariables ?? [], inputs);
  const registry = registryOptions(given, launcher);
  return {
    command,
    args: launcher.commandLine({
      identifier,
      version,
      extras: origin,
      options: [...registry, ...options],
      args,
      env,
    }),
    env,
    inputs: inputs.inputs,
    identifier,
    version,
  };
}

const EXACT = /^[0-9A-Za-z](?:[0-9A-Za-z.+_-]*[0-9A-Za-z])?$/;
/** To npm, `1` and `1.2` are ranges, and `beta1` is a tag. */
const NPM_VERSION = /^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The identifier and the version; an image may have its version in the identifier. */
function exactVersion(given: RegistryPackage): {
  readonly identifier: string;
  readonly version: string;
} {
  const { identifier, tag } =
    given.registryType === "oci"
      ? imageParts(given)
      : { identifier: given.identifier, tag: undefined };
  const version = tag ?? given.version ?? "";
  if (version === "") throw new NotRunnable("it names no exact version");
  if (given.registryType === "oci" && DIGEST.test(version)) return { identifier, version };
  // `1.x` and `1.*` are ranges, and tags such as `latest` move.
  const isRange = /(?:^|\.)[xX*](?:\.|$)/.test(version) || !/\d/.test(version);
  const isExact = given.registryType === "npm" ? NPM_VERSION.test(version) : EXACT.test(version);
  if (!isExact || isRange)
    throw new NotRunnable(`its version '${version}' is not exact, so it could change later`);
  return { identifier, version };
}

/** An image without its tag or digest, with the host that older entries give separately. */
function imageParts({ identifier: written, registryBaseUrl }: RegistryPackage): {
  readonly identifier: string;
  readonly tag: string | undefined;
} {
  const [named = "", digest] = written.split("@");
  const [, base = named, tag] = /^(.+):([^/:]+)$/.exec(named) ?? [];
  const isElsewhere = registryBaseUrl && !LAUNCHERS["oci"]?.home.test(registryBaseUrl);
  const host = isElsewhere ? `${secureUrl(registryBaseUrl).host}/` : "";
  return { identifier: base.startsWith(host) ? base : host + base, tag: digest ?? tag };
}

function registryOptions(
  { registryBaseUrl }: RegistryPackage,
  { home, registryOption }: Launcher,
): readonly WordGroup[] {
  if (!registryBaseUrl || registryOption === undefined || home.test(registryBaseUrl)) return [];
  return [words(registryOption, secureUrl(registryBaseUrl).href)];
}

function secureUrl(text: string): URL {
  const problem = addressProblem(text);
  if (problem !== undefined) throw new NotRunnable(`its package registry '${text}' ${problem}`);
  return new URL(text);
}

/** The package is named after the options anyway; some publishers repeat it there. */
function withoutPackage(
  args: readonly RegistryArgument[],
  given: RegistryPackage & { readonly version: string },
): readonly RegistryArgument[] {
  const last = args.at(-1);
  if (last?.type !== "positional" || !last.value) return args;
  const named = namedPackage({ ...given, identifier: last.value });
  const isSame =
    named.identifier === given.identifier &&
    (named.version === undefined || named.version === given.version);
  return isSame ? args.slice(0, -1) : args;
}

/** A package as a launcher takes it: with or without its version. */
function namedPackage(given: RegistryPackage): {
  readonly identifier: string;
  readonly version: string | undefined;
} {
  if (given.registryType === "oci") {
    const { identifier, tag } = imageParts(given);
    return { identifier, version: tag };
  }
  const at = given.identifier.indexOf("@", 1);
  return at === -1
    ? { identifier: given.identifier, version: undefined }
    : { identifier: given.identifier.slice(0, at), version: given.identifier.slice(at + 1) };
}

/** `--from` of uvx, which may only repeat the package, and the other options. */
function splitFrom(
  command: string,
  given: readonly RegistryArgument[],
  identifier: string,
): { readonly origin: string | undefined; readonly others: readonly RegistryArgument[] } {
  const from = given.find(({ type, name }) => type === "named" && name === "--from");
  if (from === undefined || command !== "uvx") return { origin: undefined, others: given };
  const value = from.value ?? from.default ?? "";
  const rest = value.startsWith(identifier) ? value.slice(identifier.length) : "?";
  const [, extras] = /^(\[[A-Za-z0-9._,-]*\])?(?:[@=]{1,2}[^\s;]*)?$/.exec(rest) ?? [
    undefined,
    "?",
  ];
  if (extras === "?") throw new NotRunnable(`it takes its program from '${value}'`);
  return { origin: extras ?? "", others: given.filter((one) => one !== from) };
}

/** After `--from`, uvx takes everything before the name of the program as its own options. */
function checkProgram([first]: readonly WordGroup[]): void {
  const [program, ...more] = first?.words ?? [];
  const [name, ...rest] = program ?? [];
  const isPlain =
    more.length + rest.length === 0 && typeof name === "string" && first?.flag === undefined;
  if (!isPlain || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new NotRunnable("its first argument is not the name of a program in its package");
  if (runsItsArguments(name)) throw new NotRunnable(`it runs '${name}' instead of its package`);
}

function environmentOf(
  given: readonly RegistryKeyValue[],
  inputs: InputCollector,
): readonly NamedTemplate[] {
  for (const { name, value, default: preset } of given)
    if (isSteering(name) && (typeof value === "string" || typeof preset === "string"))
      throw new NotRunnable(`it sets ${name}, which can change what runs`);
  return inputs.named(given, checkEnvName);
}
