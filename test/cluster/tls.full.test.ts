/**
 * Replicas with a certificate (`http.tls`), which pass requests on to each other over HTTPS. In the full suite because of its
 * processes; `npm test` has HTTPS without replicas, and a unit test of a replica that does not speak it.
 */
import { randomBytes } from "node:crypto";
import { copyFileSync, readFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import { connect } from "node:tls";
import { beforeAll, describe, expect, it } from "vitest";

import { firstText, useToolParams } from "../support/calls.ts";
import { type Authority, HAS_OPENSSL, certificateAuthority } from "../support/certificates.ts";
import { perBlock } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { closedGate } from "../support/gate.ts";
import { HttpClient, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { HAS_REDIS, TestRedis } from "../support/redis.ts";
import { type Config, dev, fixture } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

const TOKEN = randomBytes(24).toString("base64url");
const ACCEPT = { action: "accept", content: { ok: true } };

describe.skipIf(!HAS_REDIS || !HAS_OPENSSL)("replicas with a certificate", () => {
  const disposables = perBlock();
  const keys = [randomBytes(32).toString("base64")];
  let redis: TestRedis;
  let authority: Authority;
  let [cert, key] = ["", ""];
  let owner: HttpWorkbench;
  let other: HttpWorkbench;
  const useCertificate = (name: string): void => {
    const issued = authority.issue(name, "IP:127.0.0.1");
    copyFileSync(issued.key, key);
    copyFileSync(issued.cert, cert);
  };
  const replica = async (trusted: string): Promise<HttpWorkbench> => {
    const port = await freePort();
    const advertise = `https://127.0.0.1:${port}`;
    const cluster = { redis: redis.url, advertise, keys, drainMs: 1_000 };
    const config = { ...dev({ fx: fixture() }), http: { tls: { cert, key } }, cluster } as Config;
    return startHttpWorkbench(disposables, config, {
      address: `127.0.0.1:${port}`,
      args: ["--token-env", "WB_TOKEN"],
      env: { WB_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: trusted },
    });
  };
  /** On a connection of its own for each request. */
  const clientOf = ({ url }: HttpWorkbench): HttpClient =>
    new HttpClient(`${url}/mcp`, TOKEN, { agent: new Agent({ ca: readFileSync(authority.cert) }) });
  /** A client of one replica, and one of another with the same session. */
  const clients = async (second: HttpWorkbench): Promise<[HttpClient, HttpClient]> => {
    const [one, two] = [clientOf(owner), clientOf(second)];
    await one.initialize("2025-11-25", { elicitation: {} });
    two.sessionId = one.sessionId;
    return [one, two];
  };
  const certificateOf = ({ port }: HttpWorkbench): Promise<string> =>
    new Promise((resolve, reject) => {
      const ca = readFileSync(authority.cert);
      const socket = connect({ host: "127.0.0.1", port, ca }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      }).on("error", reject);
    });
  const echo = async (client: HttpClient, text: string): Promise<string | undefined> => {
    const params = useToolParams("dev/fx/echo", { text });
    const answer = await client.request("tools/call", params, { id: text }).done();
    return firstText(messagesIn(answer.text).at(-1));
  };

  beforeAll(async () => {
    const folder = temporaryFolder(disposables);
    authority = certificateAuthority(folder);
    [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    useCertificate("first");
    redis = await TestRedis.start(disposables);
    owner = await replica(authority.cert);
    other = await replica(authority.cert);
  });

  it("pass calls, questions and answers on", async () => {
    const [, client] = await clients(other);
    expect(await echo(client, "passed on")).toBe("passed on");
    const call = client.request("tools/call", useToolParams("dev/fx/elicit", {}), { id: "asks" });
    const question = await call.method("elicitation/create");
    await client.respond(question.id, ACCEPT);
    expect(firstText(messagesIn((await call.done()).text).at(-1))).toContain("accept");
    expect(owner.witness("dev", "fx").callsOf("echo")).toHaveLength(1);
    for (const { stderr } of [owner, other]) expect(stderr()).not.toContain("does not find itself");
  });

  it("continue after the certificate was replaced", async () => {
    const [, client] = await clients(other);
    expect(await echo(client, "before")).toBe("before");
    useCertificate("second");
    const isUsed = async (): Promise<boolean> =>
      (await Promise.all([owner, other].map(certificateOf))).every((name) => name === "second");
    await waitFor(isUsed, GENEROUS_MS, "the new certificate to be used");
    expect(await echo(client, "after")).toBe("after");
  });

  it("say so if one does not trust the others, whose sessions get 503 there", async () => {
    const stranger = await replica("");
    await waitFor(
      () => /does not find itself .*certificate/.test(stranger.stderr()),
      GENEROUS_MS,
      "it to report its own address",
    );
    const [one, client] = await clients(stranger);
    expect((await client.request("ping").done()).status).toBe(503);
    expect(stranger.stderr()).toMatch(/no connection to the replica at https:.*certificate/);
    expect(await echo(one, "still here")).toBe("still here");
    await stranger.stop();
  });

  it("report calls that were in flight when one is killed, and continue its session", async () => {
    const [, client] = await clients(other);
    const gate = closedGate(disposables);
    const call = client.request("tools/call", useToolParams("dev/fx/sleep", { until: gate.file }));
    const hasArrived = (): boolean => owner.witness("dev", "fx").callsOf("sleep").length > 0;
    await waitFor(hasArrived, GENEROUS_MS, "the call to arrive");
    owner.kill("SIGKILL");
    const { text } = await call.done();
    expect(messagesIn(text).at(-1)?.error?.message).toContain("may or may not have taken effect");
    await owner.exited;
    gate.open();
    expect(await echo(client, "continued")).toBe("continued");
  });
});
