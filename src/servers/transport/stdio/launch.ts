import type { StdioTransport } from "../../../config/types.ts";
import { type Launcher, isPullingImage, launcherIn } from "../../launchers.ts";
import type { Download } from "./guard.ts";
import { hasHandedOver } from "./hand-over.ts";
import { npxFolder, packagesIn, removeIncompletePackages } from "./npx-cache.ts";

/** The launchers that use the cache of npx. */
const NPX: ReadonlySet<string> = new Set(["npx", "npm exec", "npm x"]);

/** The start of a server by a program that may have to download it. */
export class Launch {
  readonly #launcher: Launcher;
  readonly #pid: number;
  readonly #env: Readonly<Record<string, string>>;
  readonly #startedAt = Date.now();

  private constructor(launcher: Launcher, pid: number, env: Readonly<Record<string, string>>) {
    this.#launcher = launcher;
    this.#pid = pid;
    this.#env = env;
  }

  /** Undefined if the command is the server itself. */
  static of(
    { command, args }: StdioTransport,
    pid: number,
    env: Readonly<Record<string, string>>,
  ): Launch | undefined {
    const launcher = launcherIn([command, ...args]);
    return launcher && new Launch(launcher, pid, env);
  }

  /** What the guard needs to know in case that the workbench dies during the download. */
  get download(): Download {
    const folder = NPX.has(this.#launcher.name) ? npxFolder(this.#env) : undefined;
    return folder === undefined ? {} : { folder, packages: packagesIn(folder) };
  }

  /** Whether the server runs; false also if that cannot be observed. */
  async hasServerStarted(stderr: () => readonly string[]): Promise<boolean> {
    if (this.#launcher.downloads === "image") return !isPullingImage(stderr());
    return (await hasHandedOver(this.#pid)) ?? false;
  }

  /** The launcher was killed in the middle of a download. */
  async onKilled(): Promise<void> {
    if (NPX.has(this.#launcher.name)) await removeIncompletePackages(this.#env, this.#startedAt);
  }
}
