import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { type Address, authority } from "./address.ts";

/** Starts listening and returns the actual address; the error explains what to do. */
export function listen(server: HttpServer, address: Address): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(explain(error, address));
    server.once("error", failed);
    server.listen(address.port, address.host, () => {
      server.off("error", failed);
      resolve(server.address() as AddressInfo);
    });
  });
}

function explain(error: NodeJS.ErrnoException, address: Address): WorkbenchError {
  const [reason, hint] = REASONS[error.code ?? ""]?.(address) ?? [error.message, undefined];
  return workbenchError("CANNOT_LISTEN", { address: authority(address), reason }, hint, error);
}

const REASONS: Readonly<
  Record<string, (address: Address) => readonly [reason: string, hint: string]>
> = {
  EADDRINUSE: ({ host, port }) => [
    "the port is in use",
    `Another workbench may be running already; otherwise choose another port, for example --http ${authority({ host, port: port === 65_535 ? port - 1 : port + 1 })}`,
  ],
  EACCES: () => [
    "it is not permitted",
    "Ports below 1024 are reserved on many systems; choose a higher one, for example --http 7333",
  ],
  EADDRNOTAVAIL: ({ host }) => [
    `this machine does not have the address ${host}`,
    "Use 127.0.0.1, 0.0.0.0 for all of its addresses, or one of its own",
  ],
  ENOTFOUND: ({ host }) => [`the name ${host} is not known`, "Use 127.0.0.1 or localhost"],
  EAI_AGAIN: ({ host }) => [`the name ${host} cannot be resolved`, "Use 127.0.0.1 or localhost"],
};
