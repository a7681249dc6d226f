import type { EnvFile, WorkbenchSettings } from "../config/types.ts";
import { contentOf, watchConfig } from "../config/watch.ts";
import { reasonOf } from "../errors.ts";
import { versionOf } from "../files/file-version.ts";
import { readSecretsFile } from "../secrets/secrets-file.ts";
import { storedNamesFile } from "../secrets/stored-names-file.ts";
import { serversIn } from "./scopes.ts";

/** Watches the files that a configuration takes variables and secrets from. */
export class EnvFileWatchers {
  readonly #onChange: () => void;
  readonly #stops = new Map<string, () => void>();

  constructor(settings: WorkbenchSettings, onChange: () => void) {
    this.#onChange = onChange;
    this.update(settings);
  }

  /** Watches the files of these settings. One that is watched already keeps its watcher. */
  update(settings: WorkbenchSettings): void {
    const { envFiles } = settings;
    const ofServers = serversIn(settings.toolboxes).flatMap(({ transport }) =>
      transport.kind === "stdio" && transport.envFile !== undefined ? [transport.envFile] : [],
    );
    const secretFiles = secretFilesIn(settings);
    const wanted = new Set([...envFiles.map(({ file }) => file), ...ofServers, ...secretFiles]);
    for (const [file, stop] of this.#stops)
      if (!wanted.has(file)) {
        stop();
        this.#stops.delete(file);
      }
    for (const envFile of envFiles) {
      const { file, text } = envFile;
      const read = (): string => contentNow(envFile);
      this.#watch(file, () => watchConfig(file, shown(text), this.#onChange, read));
    }
    // A server reads its own file when it is started; until then, only the secrets to hide change.
    for (const file of ofServers)
      this.#watch(file, () => watchConfig(file, contentOf(file), this.#onChange));
    for (const file of secretFiles)
      this.#watch(file, () => watchConfig(file, versionNow(file), this.#onChange, versionNow));
  }

  close(): void {
    for (const stop of this.#stops.values()) stop();
    this.#stops.clear();
  }

  #watch(file: string, start: () => () => void): void {
    if (!this.#stops.has(file)) this.#stops.set(file, start());
  }
}

/** The files that servers in use refer to as `${file:PATH}`, and the one that shows changes of the keychain. */
function secretFilesIn({ toolboxes }: WorkbenchSettings): readonly string[] {
  const texts = serversIn(toolboxes).flatMap(({ disabled, secretTexts }) =>
    disabled ? [] : secretTexts,
  );
  return texts.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (typeof part === "string" || part.kind === "command") return [];
      return [part.kind === "file" ? part.path : storedNamesFile()];
    }),
  );
}

/** A secret itself is not read before a server needs it. */
const versionNow = (file: string): string => versionOf(file) ?? "missing";

/** The text, or why the file cannot be used: its permissions may change without its text. */
function contentNow({ file, links }: EnvFile): string {
  try {
    return shown(readSecretsFile(file, { links }));
  } catch (error) {
    return `refused: ${reasonOf(error)}`;
  }
}

const shown = (text: string | undefined): string => (text === undefined ? "missing" : `:${text}`);
