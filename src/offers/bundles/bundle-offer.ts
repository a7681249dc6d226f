import { join, posix, sep } from "node:path";

import {
  type NamedTemplate,
  NotRunnable,
  type Offer,
  type OfferedProgram,
  type OfferInput,
  type Template,
  type TemplatePart,
  type WordGroup,
} from "../offer.ts";
import { checkVariables, foldersIn } from "./bundle-env.ts";
import { checkArgument } from "./inside-path.ts";
import { checkLaunch, launchGroups } from "./launch-rules.ts";
import type { Manifest, ManifestSetting } from "./manifest-schema.ts";
import type { Bundle } from "./read-bundle.ts";

/** What a manifest can refer to. */
export interface BundlePlace {
  /** Where the bundle will be unpacked. */
  readonly folder: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Whether a program is installed. */
  readonly hasProgram: (name: string) => boolean;
}

/** Programs that a bundle may name; everything else has to be in the bundle. Shells are not here. */
const PROGRAMS = new Set([
  "node",
  "npx",
  "bun",
  "bunx",
  "deno",
  "python",
  "python3",
  "uv",
  "uvx",
  "docker",
  "podman",
  "dotnet",
  "dnx",
  "java",
]);

const SETTING_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;
const REFERENCE = /\$\{([^{}]*)\}/g;

/** What a bundle runs and needs. Throws NotRunnable if it cannot be run here. */
export function bundleOffer({ manifest, entries, isSigned }: Bundle, place: BundlePlace): Offer {
  const { name, version, description = "", compatibility, user_config: settings = {} } = manifest;
  const { platforms } = compatibility ?? {};
  if (platforms !== undefined && !platforms.includes(place.platform))
    throw new NotRunnable(`it runs on ${platforms.join(", ")} only, not on ${place.platform}`);
  const { command, args = [], env = {} } = programOf(manifest, place.platform);
  const texts = new ManifestTexts(settings, place);
  const inside = new Set(entries.map((entry) => entry.name));
  const runs = {
    command: commandPath(command, place, inside),
    args: launchGroups(
      command,
      args.map((text): WordGroup => ({ words: [texts.template(text)] })),
    ),
    env: Object.entries(env).map(([key, text]): NamedTemplate => ({
      name: key,
      value: texts.template(text),
    })),
    cwd: place.folder,
  };
  const inputs = Object.entries(settings).map(([key, setting]) => texts.input(key, setting));
  checkRuns(runs, inputs, place, inside);
  return {
    kind: "mcpb",
    name,
    version,
    description,
    identifier: name,
    packageVersion: version,
    transport: "stdio",
    runs,
    inputs,
    notes: [
      ...Object.entries(compatibility?.runtimes ?? {}).map(
        ([runtime, range]) => `It needs ${runtime} ${range}`,
      ),
      ...(isSigned ? ["It has a signature, which is not verified"] : []),
    ],
  };
}

/** Nothing outside of the folder of the bundle may run, except for packages of an exact version. */
function checkRuns(
  { command, args: groups, env }: OfferedProgram,
  inputs: readonly OfferInput[],
  { folder, home }: BundlePlace,
  inside: ReadonlySet<string>,
): void {
  checkVariables(env, inputs, folder);
  const args = groups.flatMap(({ words }) => words);
  for (const word of args) checkArgument(word, folder, home);
  if (!PROGRAMS.has(command)) return;
  const paths = env.filter(({ name }) => name.toUpperCase() === "PYTHONPATH");
  const folders = [".", ...paths.flatMap(({ value }) => foldersIn(value, folder) ?? [])];
  const hasModule = (module: string): boolean =>
    folders.some((one) => {
      const top = posix.join(one, module.split(".")[0] ?? "");
      const whole = posix.join(one, ...module.split("."));
      const files = [`${top}.py`, `${top}/__init__.py`, `${whole}.py`, `${whole}/__main__.py`];
      return files.some((file) => inside.has(file));
    });
  checkLaunch({ program: command, args, folder, hasModule, inputs });
}

function programOf(
  { server }: Manifest,
  platform: NodeJS.Platform,
): {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
} {
  const { type, entry_point: entryPoint, mcp_config: config } = server;
  if (config === undefined) {
    if (type !== "uv")
      throw new NotRunnable("its manifest does not say how to run it (mcp_config)");
    return { command: "uv", args: ["run", "--directory", "${__dirname}", entryPoint] };
  }
  const own = config.platform_overrides?.[platform];
  return {
    command: own?.command ?? config.command,
    args: own?.args ?? config.args,
    env: own?.env ?? config.env,
  };
}

/** A known program by its name, or the path of a file in the bundle. */
function commandPath(written: string, place: BundlePlace, inside: ReadonlySet<string>): string {
  // Many systems have Python under this name only.
  const isPython3 = written === "python" && !place.hasProgram("python");
  if (isPython3 && place.hasProgram("python3")) return "python3";
  if (PROGRAMS.has(written)) return written;
  const relative = posix.normalize(
    written
      .replaceAll("${/}", "/")
      .replaceAll("\\", "/")
      .replace(/^\$\{__dirname\}\//, ""),
  );
  const found = [relative, ...(place.platform === "win32" ? [`${relative}.exe`] : [])].find(
    (path) => inside.has(path),
  );
  if (found !== undefined) return join(place.folder, found);
  throw new NotRunnable(
    `it runs '${written}', which is neither in the bundle nor one of ${[...PROGRAMS].join(", ")}`,
  );
}

/** Replaces the references of a manifest. What it does not know stays as it is. */
class ManifestTexts {
  readonly #settings: Readonly<Record<string, ManifestSetting>>;
  readonly #known: ReadonlyMap<string, string>;

  constructor(settings: Readonly<Record<string, ManifestSetting>>, place: BundlePlace) {
    const { folder, home } = place;
    this.#settings = settings;
    this.#known = new Map([
      ["__dirname", folder],
      ["HOME", home],
      ["DESKTOP", join(home, "Desktop")],
      ["DOCUMENTS", join(home, "Documents")],
      ["DOWNLOADS", join(home, "Downloads")],
      ["pathSeparator", sep],
      ["/", sep],
    ]);
  }

  template(text: string): Template {
    const parts: TemplatePart[] = [];
    let done = 0;
    for (const { 0: written, 1: name = "", index } of text.matchAll(REFERENCE)) {
      const part = this.#partFor(name);
      if (part === undefined) continue;
      parts.push(text.slice(done, index), part);
      done = index + written.length;
    }
    parts.push(text.slice(done));
    const filled = parts.filter((part) => part !== "");
    return filled.length === 0 ? [""] : filled;
  }

  input(name: string, setting: ManifestSetting): OfferInput {
    if (!SETTING_NAME.test(name)) throw new NotRunnable(`'${name}' is not a name of a setting`);
    const { type, title, description, required, multiple, sensitive, min, max } = setting;
    const isPath = type === "directory" || type === "file";
    const preset = setting.default;
    const values = preset === undefined ? [] : Array.isArray(preset) ? preset : [preset];
    const isSecret = sensitive === true;
    return {
      name,
      description: [title, description].filter((part) => part).join(": "),
      isRequired: required === true,
      isSecret,
      format: isPath ? "path" : type === "string" ? "string" : type,
      // A secret in the manifest is not one.
      ...(values.length > 0 &&
        !isSecret && { default: values.map((value) => this.#presetText(String(value))) }),
      choices: [],
      isRepeated: multiple === true,
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    };
  }

  #presetText(text: string): string {
    return text.replace(REFERENCE, (written, name: string) => this.#known.get(name) ?? written);
  }

  #partFor(name: string): TemplatePart | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const [, setting] = /^user_config\.(.+)$/.exec(name) ?? [];
    if (setting === undefined) return undefined;
    if (!Object.hasOwn(this.#settings, setting))
      throw new NotRunnable(`it refers to the setting '${setting}', which it does not define`);
    return { input: setting };
  }
}
