/** Several requests on one connection, each sent before the one before it is answered. */
import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { scriptServer } from "../support/script-server.ts";
import { dev } from "../support/servers.ts";

const cleanup = perTest();

async function start(): Promise<{ workbench: HttpWorkbench; session: string }> {
  const fx = scriptServer(
    cleanup,
    `const call = ({ arguments: { hang } }) => (hang ? undefined : { content: [] });
     serve({ ...legacy({ tools: {} }), "tools/call": call });`,
  );
  const workbench = await startHttpWorkbench(cleanup, dev({ fx }), { args: ["--no-auth"] });
  const answer = await workbench.client().initialize();
  return { workbench, session: String(answer.headers["mcp-session-id"]) };
}

function send({ port }: HttpWorkbench, session: string, count: number, hang: boolean): Socket {
  const socket = connect(port, "127.0.0.1");
  cleanup.defer(() => void socket.destroy());
  const requests = Array.from({ length: count }, (_, id) => {
    const params = useToolParams("dev/fx/hello", { hang });
    const body = JSON.stringify({ jsonrpc: "2.0", id: `p${id}`, method: "tools/call", params });
    const head = [
      "POST /mcp HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      "Content-Type: application/json",
      "Accept: application/json",
      `Mcp-Session-Id: ${session}`,
      `Content-Length: ${body.length}`,
    ];
    return `${head.join("\r\n")}\r\n\r\n${body}`;
  });
  socket.write(requests.join(""));
  return socket;
}

describe("requests that follow each other on one connection without waiting", () => {
  it("are answered in their order", async () => {
    const { workbench, session } = await start();
    const socket = send(workbench, session, 100, false);
    let received = "";
    for await (const chunk of socket) {
      received += String(chunk);
      if (received.includes('"id":"p99"')) break;
    }
    const ids = Array.from(received.matchAll(/"id":"p(\d+)"/g), ([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: 100 }, (_, id) => id));
  });

  it("end the connection if over 100 wait for an answer, and no other", async () => {
    const { workbench, session } = await start();
    const socket = send(workbench, session, 101, true);
    socket.resume().on("error", () => {});
    await once(socket, "close");
    const client = workbench.client();
    await client.initialize();
    expect((await client.ask("ping")).error).toBeUndefined();
  });
});
