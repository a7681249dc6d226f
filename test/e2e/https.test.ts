/** HTTPS: the certificate of the configuration, and its replacement while clients are served. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import type { TLSSocket } from "node:tls";
import { join } from "node:path";
import { expect, it } from "vitest";
import { certificateAuthority, type Certificate, HAS_OPENSSL } from "../support/certificates.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { type Config, dev, fixture } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

interface Seen {
  readonly status: number | undefined;
  readonly text: string;
  readonly certificate: string;
}

/** A request on a connection of its own. */
function get(url: string, ca: Buffer, headers: Record<string, string> = {}): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca, agent: false, headers }, (response) => {
      const { CN } = (response.socket as TLSSocket).getPeerCertificate().subject;
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () =>
        resolve({
          status: response.statusCode,
          text: Buffer.concat(chunks).toString(),
          certificate: String(CN),
        }),
      );
    });
    sent.once("error", reject);
    sent.end();
  });
}

// Certificates are made by openssl, which most machines have.
it.skipIf(!HAS_OPENSSL)("serves HTTPS, and uses a replaced certificate", async () => {
  const folder = temporaryFolder(cleanup);
  const authority = certificateAuthority(folder);
  const ca = readFileSync(authority.cert);
  const issued = ["first", "second"].map((name) => authority.issue(name, "IP:127.0.0.1"));
  const [first, second] = issued as [Certificate, Certificate];
  const cert = join(folder, "cert.pem");
  const key = join(folder, "key.pem");
  const use = (from: Certificate): void => {
    copyFileSync(from.cert, cert);
    copyFileSync(from.key, key);
  };
  use(first);
  const config = { ...dev({ fx: fixture() }), http: { tls: { cert, key } } } as Config;
  const workbench = await startHttpWorkbench(cleanup, config);
  expect(workbench.url).toMatch(/^https:/);
  const health = (): Promise<Seen> => get(`${workbench.url}/healthz`, ca);
  expect(await health()).toMatchObject({ status: 200, certificate: "first" });
  expect((await get(`${workbench.url}/api/status`, ca)).status).toBe(401);
  const authorization = `Bearer ${workbench.token}`;
  const { status } = await get(`${workbench.url}/api/status`, ca, { authorization });
  expect(status).toBe(200);

  writeFileSync(key, "not a key");
  await waitFor(() => workbench.stderr().includes("still used"), GENEROUS_MS, "it is refused");
  expect(await health()).toMatchObject({ status: 200, certificate: "first" });
  use(second);
  await waitFor(
    async () => (await health()).certificate === "second",
    GENEROUS_MS,
    "the new certificate is used",
  );
});
