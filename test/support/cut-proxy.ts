/** A TCP proxy whose connections a test can cut, as a failing network does. */
import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import type { Disposables } from "./disposables.ts";

export interface CutProxy {
  /** Where clients connect to instead, as `host:port`. */
  readonly host: string;
  /** The port that connections are passed on to. */
  target: number;
  /** Closes all connections and waits for the next one, by which a client shows that it has noticed. */
  cut(): Promise<void>;
}

export async function startCutProxy(disposables: Disposables): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(proxy.target, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const cut = async (): Promise<void> => {
    const next = once(server, "connection");
    close();
    await next;
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  disposables.defer(() => {
    server.close();
    close();
  });
  const proxy = { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, target: 0, cut };
  return proxy;
}
