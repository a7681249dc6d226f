import { readFileSync } from "node:fs";
import { type Server, type ServerOptions, createServer } from "node:https";
import { createSecureContext } from "node:tls";

import type { CertificateFiles } from "../../config/types.ts";
import { reasonOf, workbenchError } from "../../errors.ts";
import { versionOf } from "../../files/file-version.ts";
import type { Logger } from "../../log.ts";

const CHECK_MS = 1000;
const HANDSHAKE_MS = 10_000;

interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** An HTTPS server that uses a changed certificate for all connections that follow. */
export function createTlsServer(
  files: () => CertificateFiles | undefined,
  options: ServerOptions,
  log: Logger,
): Server {
  const first = files();
  if (first === undefined)
    throw workbenchError("CERTIFICATE_UNUSABLE", { reason: "there is none" });
  let version = versionsOf(first);
  const server = createServer({ ...options, ...read(first), handshakeTimeout: HANDSHAKE_MS });
  const timer = setInterval(() => {
    const now = files();
    if (now === undefined || versionsOf(now) === version) return;
    version = versionsOf(now);
    try {
      server.setSecureContext(read(now));
      log.info("the certificate was replaced");
    } catch (error) {
      // The two files may not be replaced at the same moment; the next change is tried again.
      log.error(`${reasonOf(error)}. The former certificate is still used`);
    }
  }, CHECK_MS).unref();
  server.once("close", () => clearInterval(timer));
  return server;
}

/** Throws if the files cannot be used together. */
function read({ cert, key }: CertificateFiles): Pair {
  try {
    const pair = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    throw workbenchError("CERTIFICATE_UNUSABLE", { reason: reasonOf(error) }, undefined, error);
  }
}

function versionsOf({ cert, key }: CertificateFiles): string {
  return JSON.stringify([cert, versionOf(cert), key, versionOf(key)]);
}
