import { existsSync } from "node:fs";

import { lockFileOf } from "../../config/lock-path.ts";
import type { PinMode, WorkbenchSettings } from "../../config/types.ts";
import type { Logger } from "../../log.ts";
import type { DefinitionPins, PinSource } from "../../servers/definition-pins.ts";
import { NOTHING_APPROVED } from "./nothing-approved.ts";

type Followed = Awaited<ReturnType<(typeof import("../../pins/pins-bundle.ts"))["followLock"]>>;

/** The approved definitions of a workbench. Their code is loaded only if there are any. */
export class WorkbenchPins implements PinSource {
  current: DefinitionPins | undefined;
  readonly #log: Logger;
  readonly #onChange: () => void;
  #mode: PinMode | undefined;
  #file: string | undefined;
  #loading: Promise<void> | undefined;
  #followed: Followed | undefined;

  constructor(settings: WorkbenchSettings, log: Logger, onChange: () => void) {
    this.#log = log;
    this.#onChange = onChange;
    this.#set(settings);
  }

  configure(settings: WorkbenchSettings): void {
    if (settings.pins === this.#mode && settings.file === this.#configFile) return;
    this.close();
    this.#set(settings);
  }

  load(): Promise<void> {
    this.#loading ??= this.#isUsed ? this.#load() : undefined;
    return this.#loading ?? Promise.resolve();
  }

  close(): void {
    this.#followed?.close();
    this.#followed = undefined;
    this.#loading = undefined;
  }

  #configFile: string | undefined;

  #set({ pins, file }: WorkbenchSettings): void {
    this.#mode = pins;
    this.#configFile = file;
    this.#file = file === undefined ? undefined : lockFileOf(file);
    this.current = pins === "enforce" ? NOTHING_APPROVED : undefined;
  }

  /** Without the setting, a lock file is enough. It may be written at any time. */
  get #isUsed(): boolean {
    if (this.#mode === "off") return false;
    if (this.#mode === "enforce") return true;
    return this.#file !== undefined && (this.#mode === "warn" || existsSync(this.#file));
  }

  async #load(): Promise<void> {
    const [mode, file] = [this.#mode, this.#file];
    try {
      const { followLock } = await import("../../pins/pins-bundle.ts");
      const followed = await followLock(file, {
        mode: mode ?? "warn",
        report: (problem, place) => this.#log.warn(problem, place),
        onChange: (pins) => {
          this.current = pins;
          this.#onChange();
        },
      });
      // The settings may have changed in the meantime.
      if (mode !== this.#mode || file !== this.#file) followed.close();
      else {
        this.#followed = followed;
        this.current = followed.pins;
      }
    } catch (error) {
      this.#log.error(`the approved definitions cannot be read: ${String(error)}`);
      this.#loading = undefined;
    }
  }
}
