import type { ServerSettings, WorkbenchSettings } from "../../config/types.ts";
import { createLogger } from "../../log.ts";
import { redactor } from "../../secrets/redact.ts";
import type { Catalogue } from "../../servers/tools/catalogue.ts";
import { DiskCatalogues } from "../../workbench/catalogue/catalogue-store.ts";
import { Catalogues } from "../../workbench/catalogue/catalogues.ts";
import { serverIdentity } from "../../config/server-identity.ts";
import { WorkbenchPins } from "../../workbench/pins/workbench-pins.ts";

/** The tools of a server as an earlier run has stored them, without starting it. */
export async function knownCatalogue(
  settings: WorkbenchSettings,
  server: ServerSettings,
): Promise<Catalogue | undefined> {
  const redact = redactor(settings.secrets);
  const log = createLogger({ ...settings.log, level: "silent" }, redact);
  const pins = new WorkbenchPins(settings, log, () => {});
  const catalogues = new Catalogues(
    (one) => serverIdentity(one, settings.file),
    () => Promise.resolve(new DiskCatalogues(redact)),
    log,
    undefined,
    pins,
  );
  try {
    return (await catalogues.load({ settings: server, eras: new Map() }))?.catalogue;
  } finally {
    pins.close();
  }
}
