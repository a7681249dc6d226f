/** A port for a server that cannot choose one itself, or that has to return to the same one. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that operating systems assign to connections, so that none of those takes it. */
const FIRST = 20_000;
const COUNT = 10_000;
const STEP = 97;

let last = process.pid * STEP;

/** Workers of one test run search different ranges, so that they do not find the same port. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + (++last % COUNT);
    const probe = createServer().listen(port, "127.0.0.1");
    const isFree = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, "close");
    return port;
  }
  throw new Error("no free port");
}
