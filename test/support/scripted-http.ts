/** A small HTTP server on loopback that answers as a test says, and remembers what it was asked. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { Disposables } from "./disposables.ts";

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as a form. */
  readonly form: Readonly<Record<string, string>>;
}

/** An object is sent as JSON; a function does everything itself. */
export type Answer =
  | object
  | ((response: ServerResponse, request: ReceivedRequest) => void | Promise<void>);

export interface ScriptedHttp {
  readonly origin: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** Answers by method and path, such as `GET /token`; everything else is a 404. */
  readonly answers: Map<string, Answer>;
  /** Method and path of every request, in order. */
  readonly log: readonly string[];
}

export async function scriptedHttp(
  disposables: Disposables,
  answers: (origin: string) => Readonly<Record<string, Answer>> = () => ({}),
): Promise<ScriptedHttp> {
  const requests: ReceivedRequest[] = [];
  const log: string[] = [];
  const table = new Map<string, Answer>();
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { method = "", url = "", headers } = message;
    const form = Object.fromEntries(new URLSearchParams(body));
    const request = { method, url, headers, body, form };
    requests.push(request);
    const key = `${method} ${url.replace(/\?.*$/, "")}`;
    log.push(key);
    const answer = table.get(key);
    if (answer === undefined) response.writeHead(404).end();
    else if (typeof answer === "function") await answer(response, request);
    else sendJson(response, 200, answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  disposables.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  for (const [key, answer] of Object.entries(answers(origin))) table.set(key, answer);
  return { origin, port, requests, answers: table, log };
}

export function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

export function json(status: number, value: object): Answer {
  return (response) => sendJson(response, status, value);
}

export function redirect(location: string, status = 302): Answer {
  return (response) => void response.writeHead(status, { location }).end();
}
