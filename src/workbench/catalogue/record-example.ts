import { dirname } from "node:path";

import { ensurePrivateDir } from "../../config/directories.ts";
import { writeFileAtomic } from "../../files/write-atomic.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import type { Catalogue } from "../../servers/tools/catalogue.ts";
import { exampleCall } from "./example-call.ts";
import {
  type ExampleEntry,
  exampleFile,
  examplesFor,
  readExamples,
  stampOf,
} from "./example-file.ts";

const MAX_CONFIGURATIONS = 50;
const MAX_TOOLBOXES = 20;

/** Records an example for a toolbox unless it has one whose tool still exists, as far as is known. */
export async function recordExample(
  configFile: string,
  place: ServerRef,
  { tools }: Catalogue,
  file = exampleFile(),
): Promise<void> {
  const known = examplesFor(configFile, file);
  const before = known.find(({ tool }) => tool.toolbox === place.toolbox);
  if (before !== undefined && (before.tool.server !== place.server || tools.has(before.tool.name)))
    return;
  const found = exampleCall(place, tools.values());
  const stamp = stampOf(configFile);
  const kept = known.filter((call) => call !== before);
  if (found === undefined || stamp === undefined || kept.length >= MAX_TOOLBOXES) return;
  const entry: ExampleEntry = { stamp, calls: [...kept, found] };
  const { [configFile]: _before, ...others } = readExamples(file);
  const entries = [...Object.entries(others), [configFile, entry] as const];
  ensurePrivateDir(dirname(file));
  await writeFileAtomic(
    file,
    JSON.stringify(Object.fromEntries(entries.slice(-MAX_CONFIGURATIONS))),
  );
}
