import { EXIT } from "../../errors.ts";
import { scanServer } from "../../pins/scan/scan-server.ts";
import { safeLine } from "../../text/safe-text.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { configuration, parseToolPath } from "../use/target.ts";
import { compareServers, toolsOfOthers } from "../../pins/compare-servers.ts";
import { readServers } from "./read-servers.ts";
import { renderServer } from "./render-differences.ts";

/** `diff [TOOLBOX[/SERVER]]`: how servers differ from what was approved. */
export async function diff(context: Context): Promise<number> {
  const { args, out } = context;
  const settings = await configuration(context);
  const read = await readServers(context, settings, parseToolPath(args.words[0]));
  const { file, lock, observed, failed } = read;
  const compared = compareServers(read);
  const different = compared.filter(({ differences }) => differences.length > 0);
  const findings = Array.from(observed, ([key, server]) =>
    scanServer(server, toolsOfOthers(key, observed, lock)).map((one) => ({ server: key, ...one })),
  ).flat();
  out.document({
    file,
    same: different.length === 0,
    servers: different.map(({ key, differences }) => ({ server: key, differences })),
    findings,
    failed,
  });
  if (lock === undefined) out.say(`There is no ${file}: everything is new.`);
  for (const server of different) out.print(renderServer(server, out.style));
  if (findings.length > 0) out.print(out.style.bold("Suspicious texts"));
  for (const { server, what, name, signals } of findings)
    out.print(
      `  ${server} ${visible([what, name].join(" ").trim())}: ${visible(signals.join("; "))}`,
    );
  for (const { toolbox, server, reason } of failed)
    out.print(`${out.style.red("✗")} ${toolbox}/${server}: not read, ${safeLine(reason)}`);
  if (different.length > 0)
    out.say(`\nTo accept the changes of a server: mcp-workbench trust TOOLBOX/SERVER`);
  else if (failed.length === 0) out.say(`Same as ${file}.`);
  if (different.length > 0) return EXIT.unexpected;
  return failed.length > 0 ? EXIT.serverUnavailable : EXIT.ok;
}
