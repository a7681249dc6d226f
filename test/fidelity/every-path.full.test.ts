/**
 * Byte fidelity on every path through the workbench: clients and servers of both eras, stdio and HTTP on
 * both sides and the process that clients share, in every mode; results, errors, arguments, `_meta` and server requests. In the full suite
 * because it has hundreds of paths; `npm test` has the fidelity tests of test/e2e.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { Era } from "../support/clients/matrix-client.ts";
import { perBlock } from "../support/disposables.ts";
import { memberText } from "../support/json-text.ts";
import { CLIENTS_BY, ERAS, OPEN, PathClients, SERVERS } from "./path-clients.ts";
import { ODD_OBJECTS } from "../support/odd-json.ts";

const MODES = ["proxy", "dynamic", "transparent"] as const;
type Mode = (typeof MODES)[number];

const PIECE = String.raw`"\u0041 été 🎈 1.0 \"id\":7}",12345678901234567890`;
/** More than a pipe passes on at once; larger texts are in test/e2e/fidelity.test.ts. */
const LARGE = `{"x":[${`${PIECE},`.repeat(131_072 / PIECE.length)}1.0]}`;
const ODD_TEXT = String.raw`"x-odd":[1.0,12345678901234567890,1e400,"\u0041\/"],"b":1,`;
const ERROR = String.raw`{"data":{"id":7,"n":12345678901234567890,"why":["\u0041\/",1.0]},"message":"no","code":-32042,"x":1}`;
const QUESTION = String.raw`{"messages":[],"maxTokens":1.0,"x":{"b":12345678901234567890,"a":"\u0041\/"}}`;
const ANSWER = String.raw`{"role":"assistant","n":12345678901234567890,"content":{"type":"text","text":"\u0041\/"},"model":"m","f":1.0}`;
const LOGGED = String.raw`{"level":"error","data":{"b":12345678901234567890,"a":[1.0,"\u0041\/"]},"x":1e400}`;
const ODD = String.raw`{"b":12345678901234567890,"a":[1.0,"\u0041\/\ud800"],"2":{ "x" : 1e400 }}`;

/** The requests that carry JSON text to a server, by subject, for each mode. */
function requestsOf(mode: Mode, server: string) {
  const native = (name: string): string =>
    mode === "transparent" ? name : `box__${server}__${name}`;
  return {
    "tools/call": (name: string, args: string): [name: string, params: string] => {
      if (mode !== "proxy") return [native(name), `"name":"${native(name)}","arguments":${args}`];
      const tool = JSON.stringify({ toolbox: "box", server, name });
      return ["use_tool", `"name":"use_tool","arguments":{"tool":${tool},"arguments":${args}}`];
    },
    "prompts/get": (name: string, args: string): [string, string] => [
      native(name),
      `"name":"${native(name)}","arguments":${args}`,
    ],
    "resources/read": (name: string, args: string): [string, string] => {
      const { json = "" } = JSON.parse(args) as { json?: string };
      const prefix = mode === "transparent" ? "" : `workbench://box/${server}/`;
      const uri = `${prefix}bytes://${name}/${Buffer.from(json).toString("base64url")}`;
      return [uri, `"uri":"${uri}"`];
    },
  };
}

type Method = keyof ReturnType<typeof requestsOf>;
const METHODS: readonly Method[] = ["tools/call", "prompts/get", "resources/read"];

/** What a modern client gets in addition to what a legacy server writes. */
function completed(method: Method, json: string): string {
  const members = `"resultType":"complete"${method === "resources/read" ? ',"ttlMs":0,"cacheScope":"private"' : ""}`;
  return json === "{}" ? `{${members}}` : `{${members},${json.slice(1)}`;
}

interface Words {
  readonly text: string;
}

/** The text that the server received, from a result of any of the methods. */
function heardIn(answer: string): string {
  const { result } = JSON.parse(answer) as {
    result: {
      readonly content?: readonly Words[];
      readonly contents?: readonly Words[];
      readonly messages?: readonly { readonly content: Words }[];
    };
  };
  const words = result.content?.[0] ?? result.contents?.[0] ?? result.messages?.[0]?.content;
  if (words === undefined) throw new Error(`the server reports nothing: ${answer}`);
  return words.text;
}

function inputRequestsIn(answer: string): object {
  const { result } = JSON.parse(answer) as { result?: { inputRequests?: object } };
  if (result?.inputRequests === undefined) throw new Error(`nothing is asked: ${answer}`);
  return result.inputRequests;
}

/** Era and transport of the client, mode, server, and the method whose result is also tried with a large value. */
type Path = readonly [Era, (typeof CLIENTS_BY)[number], Mode, string, Method];

/** Every path; the methods for large values take turns. */
const PATHS: readonly Path[] = MODES.flatMap((mode) =>
  CLIENTS_BY.flatMap((by) =>
    SERVERS.flatMap((server) => ERAS.map((era) => [era, by, mode, server] as const)),
  ),
).map((path, i) => [...path, METHODS[i % METHODS.length] as Method] as const);

const cleanup = perBlock();
let clients: PathClients;
beforeAll(async () => (clients = await PathClients.start(cleanup)));

describe.each(PATHS)(
  "a %s client over %s in %s mode with a %s server",
  (era, by, mode, server, heavy) => {
    const requests = requestsOf(mode, server);
    const ask = async (
      method: Method,
      name: string,
      args: string,
      more: { meta?: string; params?: string } = {},
    ): Promise<string> => {
      const client = await clients.at(mode, by, server, era);
      const [, params] = requests[method](name, args);
      const envelope = JSON.stringify(client.envelope).slice(1, -1);
      const meta = [...(era === "modern" ? [envelope] : []), ...(more.meta ? [more.meta] : [])];
      const text = `{${params}${more.params ?? ""},"_meta":{${meta.join(",")}}}`;
      return client.requestText(method, text);
    };
    const give = (method: Method, json: string, name = "give"): Promise<string> =>
      ask(method, name, JSON.stringify({ json }));
    const translated = era === "modern" && server.startsWith("legacy");

    const wanted = (method: Method, json: string): string =>
      translated ? completed(method, json) : json;

    it.each(METHODS)("receives the results of %s as the server wrote them", async (method) => {
      const answers = await Promise.all(ODD_OBJECTS.map(([, json]) => give(method, json)));
      expect(answers.map((answer) => memberText(answer, "result"))).toEqual(
        ODD_OBJECTS.map(([, json]) => wanted(method, json)),
      );
      if (method !== heavy) return;
      const large = await give(method, PIECE, "large");
      expect(large.includes(wanted(method, LARGE))).toBe(true);
    });

    it.each(METHODS)("receives the errors of %s as the server wrote them", async (method) => {
      expect(memberText(await give(method, ERROR, "fail"), "error")).toBe(ERROR);
    });

    it("sends arguments, _meta and unknown parameters that arrive as it wrote them", async () => {
      const more = { meta: `"odd":${ODD}`, params: `,"x-more":${ODD}` };
      for (const method of ["tools/call", "prompts/get"] as const) {
        const answers = await Promise.all(
          ODD_OBJECTS.map(([, json]) => ask(method, "heard", json, more)),
        );
        const heard = answers
          .map(heardIn)
          .map((text) => [
            memberText(text, "params", "arguments"),
            memberText(text, "params", "_meta", "odd"),
            memberText(text, "params", "x-more"),
          ]);
        expect(heard).toEqual(ODD_OBJECTS.map(([, json]) => [json, ODD, ODD]));
      }
      const heard = heardIn(await ask("resources/read", "heard", "{}", { meta: `"odd":${ODD}` }));
      expect(memberText(heard, "params", "_meta", "odd")).toBe(ODD);
      const large = heardIn(await ask("tools/call", "heard", LARGE));
      expect(large.includes(`"arguments":${LARGE}`)).toBe(true);
    });

    it.each(METHODS)(
      "receives a question during %s as the server wrote it, and its answer arrives as it wrote it",
      async (method) => {
        const client = await clients.at(mode, by, server, era);
        let asked: string | undefined;
        client.answering = (question) => {
          asked = memberText(question, "params");
          return ANSWER;
        };
        let answer = await give(method, QUESTION, "ask");
        if (era === "modern") {
          const [key = ""] = Object.keys(inputRequestsIn(answer));
          asked = memberText(answer, "result", "inputRequests", key, "params");
          const state = memberText(answer, "result", "requestState") ?? "null";
          const params = `,"inputResponses":{"${key}":${ANSWER}},"requestState":${state}`;
          answer = await ask(method, "ask", JSON.stringify({ json: QUESTION }), { params });
        }
        const heard = heardIn(answer);
        const path = server.startsWith("legacy") ? ["result"] : ["params", "inputResponses", "it"];
        const origin = JSON.stringify({ toolbox: "box", server });
        const added = `,"_meta":{"mcp-workbench/origin":${origin}},"systemPrompt":"[box/${server}] "}`;
        expect(asked).toBe(mode === "transparent" ? QUESTION : QUESTION.slice(0, -1) + added);
        expect(memberText(heard, ...path)).toBe(ANSWER);
      },
    );

    // A response of a single JSON object has no room for notifications.
    it.skipIf(server === "modern-http")(
      "receives log messages as the server wrote them",
      async () => {
        const client = await clients.at(mode, by, server, era);
        const heard: (string | undefined)[] = [];
        client.listening = (text) => {
          if (text.includes(LOGGED)) heard.push(memberText(text, "params"));
        };
        const level = '"io.modelcontextprotocol/logLevel":"debug"';
        const meta = era === "modern" ? { meta: level } : {};
        await ask("tools/call", "tell", JSON.stringify({ json: LOGGED }), meta);
        await client.inbox.until(() => heard[0], "the message");
        expect(heard).toEqual([LOGGED]);
      },
    );

    it("receives definitions as the server wrote them", async () => {
      const client = await clients.at(mode, by, server, era);
      const list = async (method: string): Promise<string> => {
        const meta = era === "modern" ? `"_meta":${JSON.stringify(client.envelope)}` : "";
        return client.requestText(method, `{${meta}}`);
      };
      const opened = await client.request("tools/call", OPEN).catch(() => undefined);
      const [{ text = "" } = {}] = (opened?.["content"] ?? []) as { text?: string }[];
      const texts = [
        mode === "proxy" ? text : await list("tools/list"),
        await list("prompts/list"),
        await list("resources/list"),
        await list("resources/templates/list"),
      ];
      const servers = mode === "transparent" ? 1 : SERVERS.length;
      expect(texts.map((found) => found.split(ODD_TEXT).length - 1)).toEqual(
        [6, 6, 1, 1].map((count) => count * servers),
      );
    });
  },
);
