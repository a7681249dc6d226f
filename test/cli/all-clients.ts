/** The place of tests of commands that write files: a home folder with the files of every client. */
import { join } from "node:path";

import { type Home, makeHome } from "../clients/home.ts";
import { type CliPlace, cliPlace } from "../support/cli.ts";
import type { Disposables } from "../support/disposables.ts";

export interface AllClients {
  readonly home: Home;
  readonly place: CliPlace;
  /** The path of the user's own configuration. */
  readonly config: string;
}

export async function allClients(disposables: Disposables): Promise<AllClients> {
  const home = await makeHome(disposables);
  const place = { ...cliPlace(disposables, { home: home.host.home }), cwd: home.project };
  const config = join(home.host.home, ".config/mcp-workbench/workbench-config.json");
  return { home, place, config };
}

/** Everything in the home folder except the configuration of the workbench itself. */
export async function clientFiles(home: Home): Promise<ReadonlyMap<string, string>> {
  const found = new Map(await home.snapshot());
  for (const path of found.keys()) if (path.includes("mcp-workbench")) found.delete(path);
  return found;
}
