/** The place of tests of commands that use servers: a toolbox that works and one that does not. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { type CliPlace, cliPlace, ownConfig } from "../support/cli.ts";
import type { Disposables } from "../support/disposables.ts";
import { MISSING_COMMAND, Witness, fixture, toolbox } from "../support/servers.ts";

export interface TwoToolboxes {
  readonly place: CliPlace;
  /** Of the server that works. */
  readonly witness: Witness;
  /** Replaces the configuration. */
  readonly configure: (toolboxes: object, more?: object) => void;
}

export function twoToolboxes(disposables: Disposables): TwoToolboxes {
  const place = cliPlace(disposables);
  const witness = new Witness(join(place.home, "witness.jsonl"));
  const configure = (toolboxes: object, more: object = {}): void =>
    writeFileSync(ownConfig(place), JSON.stringify({ ...more, toolboxes }));
  const files = { ...fixture("--name", "files"), env: { WITNESS: witness.file } };
  configure({ dev: toolbox({ files }, "For tests"), ops: toolbox({ broken: MISSING_COMMAND }) });
  return { place, witness, configure };
}
