/** Replaces the services behind published servers: one path each, on the loopback interface. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Disposables } from "../support/disposables.ts";

const BERLIN = {
  type: "Feature",
  properties: { name: "Berlin" },
  geometry: { type: "Point", coordinates: [13.4, 52.5] },
};

const ANSWERS: Readonly<Record<string, unknown>> = {
  gitlab: [{ id: 7, name: "shop", description: "", path_with_namespace: "ada/shop" }],
  notion: { object: "user", id: "ada", name: "Ada" },
  elasticsearch: [{ index: "books", health: "green", status: "open" }],
  chart: { success: true, resultObj: "http://127.0.0.1/pie.png" },
  mapbox: { type: "FeatureCollection", features: [BERLIN] },
};

/** Returns its address, without a path. */
export async function startBackend(disposables: Disposables): Promise<string> {
  const server = createServer((request, response) => {
    const [, service = ""] = request.url?.split("/") ?? [];
    request.resume();
    const known = Object.hasOwn(ANSWERS, service);
    response.writeHead(known ? 200 : 404, {
      "Content-Type": "application/json",
      // Without it, the client library of this service refuses every answer.
      "X-Elastic-Product": "Elasticsearch",
    });
    response.end(JSON.stringify(known ? ANSWERS[service] : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  disposables.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
