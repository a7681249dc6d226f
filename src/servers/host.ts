import { type Logger, NO_LOG } from "../log.ts";
import type { Redact } from "../secrets/redact.ts";
import { Guard } from "./transport/stdio/guard.ts";
import { NO_MEMORY, type ServerMemory } from "./server-memory.ts";

/** What all servers of a workbench share. */
export interface Host {
  readonly log: Logger;
  readonly redact: Redact;
  readonly guard: Guard;
  readonly memory: ServerMemory;
  /** True if callers wait for a server that is being downloaded, instead of getting an error. */
  readonly waitsForDownloads: boolean;
}

export function quietHost(): Host {
  return {
    log: NO_LOG,
    redact: (text) => text,
    guard: new Guard(),
    memory: NO_MEMORY,
    waitsForDownloads: false,
  };
}
