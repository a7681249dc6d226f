import { parseConfig } from "../../config/load.ts";
import { redactor } from "../../secrets/redact.ts";
import { catalogueOf } from "../../servers/tools/catalogue.ts";
import { DiskCatalogues } from "../../workbench/catalogue/catalogue-store.ts";
import { recordExample } from "../../workbench/catalogue/record-example.ts";
import { serverIdentity } from "../../config/server-identity.ts";
import type { Context } from "../core/command.ts";
import type { Readiness, Written } from "./readiness.ts";
import type { Trial } from "./trial.ts";

/**
 * Caches what the servers of a new configuration listed when they were tried, and which of them
 * failed. The first session of an agent then searches without starting or awaiting them, and its
 * instructions have an example of a real tool.
 */
export async function rememberTools(
  { env }: Pick<Context, "env">,
  { file, text }: Pick<Written, "file" | "text">,
  { known, servers }: Pick<Trial, "known" | "servers">,
  { working, needsUser }: Readiness,
  /** Values that must not be cached, besides those in the configuration. */
  secrets: readonly string[],
): Promise<void> {
  const settings = await parseConfig(text, { file, env });
  const store = new DiskCatalogues(redactor([...settings.secrets, ...secrets]));
  for (const { toolbox, server } of [...working, ...needsUser]) {
    const label = `${toolbox}/${server}`;
    const listed = known.get(label);
    const written = settings.toolboxes.get(toolbox)?.servers.get(server);
    if (written === undefined) continue;
    const identity = serverIdentity(written, file, env);
    if (listed !== undefined) {
      await store.write(identity, listed);
      await recordExample(file, { toolbox, server }, catalogueOf(listed.tools, written));
    } else if (servers.get(label)?.error !== undefined) {
      // What an earlier run knows about it is still useful.
      const earlier = await store.read(identity).catch(() => undefined);
      if (earlier === undefined) await store.writeUnreachable(identity);
    }
  }
}
