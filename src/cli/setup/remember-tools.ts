import { parseConfig } from "../../config/load.ts";
import { redactor } from "../../secrets/redact.ts";
import { catalogueOf } from "../../servers/tools/catalogue.ts";
import { DiskCatalogues } from "../../workbench/catalogue/catalogue-store.ts";
import { recordExample } from "../../workbench/catalogue/record-example.ts";
import { serverIdentity } from "../../workbench/catalogue/server-identity.ts";
import type { Context } from "../core/command.ts";
import type { Readiness, Written } from "./readiness.ts";
import type { Trial } from "./trial.ts";

/**
 * Caches what the servers of a new configuration listed when they were tried. The first session of
 * an agent then searches without starting them, and its instructions have an example of a real tool.
 */
export async function rememberTools(
  { env }: Pick<Context, "env">,
  { file, text }: Pick<Written, "file" | "text">,
  { known }: Pick<Trial, "known">,
  { working }: Pick<Readiness, "working">,
  /** Values that must not be cached, besides those in the configuration. */
  secrets: readonly string[],
): Promise<void> {
  const settings = await parseConfig(text, { file, env });
  const store = new DiskCatalogues(redactor([...settings.secrets, ...secrets]));
  for (const { toolbox, server } of working) {
    const listed = known.get(`${toolbox}/${server}`);
    const written = settings.toolboxes.get(toolbox)?.servers.get(server);
    if (listed === undefined || written === undefined) continue;
    await store.write(serverIdentity(written, file, env), listed);
    await recordExample(file, { toolbox, server }, catalogueOf(listed.tools, written));
  }
}
