import { locateConfig } from "../../config/locate.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { connectTo, isListening } from "../../serve/shared/connect.ts";
import {
  type SharedRecord,
  allRecords,
  isSameConfig,
  placeOf,
  removeRecord,
  rendezvousOf,
} from "../../serve/shared/rendezvous.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { Context } from "../core/command.ts";

/** Calls in progress may be answered first, and servers have time to end. */
const STOP_MS = 30_000;

/** `stop`: ends the shared workbench of a configuration, or all of them. */
export async function stop({ args, out, env, cwd }: Context): Promise<number> {
  const isWanted = args.flag("all") ? () => true : isOf(args.text("config"), env, cwd);
  const stopped: SharedRecord[] = [];
  const silent: SharedRecord[] = [];
  for (const record of allRecords().filter(({ key }) => isWanted(key)))
    if (!(await isListening(record))) removeRecord(placeOf(record.key), record);
    else if (await hasStopped(record)) stopped.push(record);
    else silent.push(record);
  const shown = ({ pid, config, version }: SharedRecord) => ({ pid, config, version });
  out.document({ stopped: stopped.map(shown), silent: silent.map(shown) });
  for (const { pid, config } of stopped)
    out.print(`Stopped the shared workbench with pid ${pid} for ${safeLine(config)}`);
  if (stopped.length + silent.length === 0) out.say("No shared workbench is running.");
  const [first] = silent;
  if (first === undefined) return EXIT.ok;
  throw workbenchError(
    "INTERNAL",
    { reason: `the shared workbench with pid ${first.pid} does not respond` },
    `It may be suspended; to end it: kill -9 ${first.pid}`,
  );
}

// --- internal ---

function isOf(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  cwd: string,
): (key: string) => boolean {
  const own = rendezvousOf(locateConfig({ file, env, cwd }).file).key;
  return (key) => isSameConfig(key, own);
}

/** Resolves when the process has ended, with its servers. */
async function hasStopped(record: SharedRecord): Promise<boolean> {
  try {
    const socket = await connectTo(record, { op: "stop" });
    return await new Promise((resolve) => {
      const timer = setTimeout(() => {
        socket.destroy();
        resolve(false);
      }, STOP_MS);
      // It says nothing more; the end of the process ends the connection.
      socket.once("end", () => {
        clearTimeout(timer);
        socket.destroy();
        resolve(true);
      });
      socket.resume();
    });
  } catch {
    return !(await isListening(record));
  }
}
