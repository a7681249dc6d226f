import { type ServerResponse as HttpResponse, createServer } from "node:http";
import { type AddressInfo, type Socket, connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { EventStream } from "./event-stream.ts";

const server = createServer();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** A stream whose client has read the head and then nothing more. */
async function streamToNobody(): Promise<{ stream: EventStream; response: HttpResponse }> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const opened = new Promise<HttpResponse>((resolve) =>
    server.once("request", (_request, response) => resolve(response)),
  );
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const response = await opened;
  return { stream: new EventStream(response), response };
}

const closed = (response: HttpResponse): Promise<void> =>
  new Promise((resolve) => void response.once("close", resolve));

it("EventStream disconnects a client that does not read before much is buffered for it", async () => {
  const { stream, response } = await streamToNobody();
  const message = JSON.stringify("x".repeat(64 * 1024));
  const gone = closed(response);
  let most = 0;
  for (let i = 0; i < 10_000 && stream.open; i++) {
    stream.send(message);
    most = Math.max(most, response.writableLength);
    if (i % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await gone;
  expect(stream.open).toBe(false);
  expect(most).toBeLessThan(5 * 1024 * 1024);
});

it("EventStream disconnects a client that has read nothing between two keep-alives", async () => {
  const { stream, response } = await streamToNobody();
  while (response.writableLength === 0) {
    stream.send(JSON.stringify("x".repeat(64 * 1024)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const gone = closed(response);
  stream.ping();
  expect(stream.open).toBe(true);
  stream.ping();
  await gone;
  expect(stream.open).toBe(false);
  stream.send("nothing happens");
  stream.ping();
});
