/** A connection whose server is the test: it records what is sent and decides what comes back. */
import type { ServerSettings } from "../../src/config/types.ts";
import type { WorkbenchError } from "../../src/errors.ts";
import {
  Call,
  type CallOrigin,
  type Caller,
  type CallClient,
  ClientCall,
  SerialNumbers,
} from "../../src/calls/call.ts";
import type { Outcome } from "../../src/calls/outcome.ts";
import { STDIO_PRINCIPAL } from "../../src/calls/principal.ts";
import { TaskPlaces } from "../../src/calls/tasks.ts";
import type { Era } from "../../src/protocol/client-profile.ts";
import type { ServerRequest } from "../../src/calls/server-request.ts";
import type { Channel } from "../../src/servers/transport/channel.ts";
import { Connection } from "../../src/servers/connection/connection.ts";
import { NOT_CONNECTED } from "../../src/servers/handshake/server-hello.ts";
import { type Host, quietHost } from "../../src/servers/host.ts";
import { ServerFailures } from "../../src/servers/server-failures.ts";
import { Line } from "../../src/wire/lines.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  type ProgressToken,
  requestText,
} from "../../src/wire/messages.ts";

export type Message = Readonly<Record<string, unknown>>;

export function settingsWith(
  given: Partial<Omit<ServerSettings, "timeouts" | "limits">> & {
    timeouts?: Partial<ServerSettings["timeouts"]>;
    limits?: Partial<ServerSettings["limits"]>;
  } = {},
): ServerSettings {
  return {
    toolbox: "dev",
    name: "fx",
    transport: { kind: "stdio", command: "none", args: [], env: {}, cwd: undefined },
    secretTexts: [],
    toolFilters: ["*"],
    overrides: {},
    annotations: "ignore",
    protocol: "auto",
    isolation: "shared",
    questions: "duringCalls",
    inheritEnv: [],
    disabled: false,
    unavailable: undefined,
    ...given,
    timeouts: {
      connectMs: 30_000,
      callMs: 120_000,
      totalMs: 600_000,
      idleMs: 0,
      shutdownMs: 2000,
      ...given.timeouts,
    },
    limits: {
      messageBytes: 16_777_216,
      concurrency: 64,
      queue: 256,
      tools: 10_000,
      pages: 100,
      ...given.limits,
    },
  };
}

export class FakeChannel implements Channel {
  readonly pid = undefined;
  backlog = 0;
  refusesUnknown = false;
  /** Whether the channel itself notifies the server that a call was cancelled. */
  tellsOfAbandoned = false;
  stderr: string[] = [];
  readonly sent: Message[] = [];
  readonly abandoned: Call[] = [];
  readonly agreed: [Era, string][] = [];
  closed = 0;
  /** Called with each message as it is sent, and may answer it. */
  onSend: (message: Message) => void = () => {};

  send(text: string): void {
    const message = JSON.parse(text) as Message;
    this.sent.push(message);
    this.onSend(message);
  }

  abandon(call: Call): boolean {
    this.abandoned.push(call);
    return this.tellsOfAbandoned;
  }

  onNegotiated(era: Era, version: string): void {
    this.agreed.push([era, version]);
  }

  reasonUnusable(): undefined {}

  async close(): Promise<void> {
    this.closed++;
  }

  stderrTail(count: number): string[] {
    return this.stderr.slice(-count);
  }

  /** What was sent with this method. */
  of(method: string): Message[] {
    return this.sent.filter((message) => message["method"] === method);
  }
}

/** A caller that records every outcome. */
export class FakeCaller implements Caller {
  readonly outcomes: Outcome[] = [];
  readonly answers: JsonObject[] = [];
  readonly errors: WorkbenchError[] = [];
  readonly progress: JsonObject[] = [];
  readonly questions: [ServerRequest, Call | undefined][] = [];

  onSettled(_call: Call, outcome: Outcome): void {
    this.outcomes.push(outcome);
    if (outcome.kind === "response") this.answers.push(outcome.response.parse() as JsonObject);
    if (outcome.kind === "failure") this.errors.push(outcome.error);
  }

  onProgress(_call: Call, { params }: IncomingNotification): void {
    this.progress.push(params);
  }

  onServerRequest(question: ServerRequest, call: Call | undefined): void {
    this.questions.push([question, call]);
  }

  get ends(): number {
    return this.answers.length + this.errors.length;
  }
}

/**
 * Members of a client that a caller does not need, for tests in which nothing is sent through it.
 */
const CLIENT: Omit<CallClient, keyof Caller> = {
  era: "legacy",
  pipeline: {
    steps: [],
    tasks: new TaskPlaces(),
    unfinished: new Set(),
    serials: new SerialNumbers(),
  },
  owner: "sole",
  envelope: undefined,
  connectionTo: () => undefined,
  connect: () => Promise.reject(new Error("a client of a test has no servers")),
};

/** A call of a tool, as a client or the workbench itself makes it. */
export function callOf(
  caller: Caller,
  {
    origin = "client",
    progressToken,
  }: { origin?: CallOrigin; progressToken?: ProgressToken | undefined } = {},
): Call {
  if (origin === "workbench")
    return new Call(caller, origin, "tools/call", "echo", JSON.stringify(progressToken));
  const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
  const text = requestText(1, "tools/call", { name: "echo", ...meta });
  const request = {
    id: 1,
    idText: "1",
    method: "tools/call",
    params: { name: "echo", ...meta },
    text,
  };
  const { principal = STDIO_PRINCIPAL } = caller;
  const call = new ClientCall(Object.assign(caller, CLIENT, { principal }), request);
  call.subject = "echo";
  return call;
}

export class FakeConnection {
  readonly channel = new FakeChannel();
  readonly notifications: IncomingNotification[] = [];
  readonly requests: IncomingRequest[] = [];
  readonly losses: string[] = [];
  readonly failures: ServerFailures;
  readonly connection: Connection;
  settings: ServerSettings;

  constructor(settings: ServerSettings = settingsWith(), host: Host = quietHost()) {
    this.settings = settings;
    const owner = (): ServerSettings => this.settings;
    this.failures = new ServerFailures(owner, host);
    this.connection = new Connection(
      {
        get settings() {
          return owner();
        },
        host,
        failures: this.failures,
      },
      {
        onNotification: (notification) => void this.notifications.push(notification),
        onRequest: (request) => void this.requests.push(request),
        onLost: (reason) => void this.losses.push(reason),
      },
    );
    this.connection.hello = { ...NOT_CONNECTED };
    // Resolves at once, because the connection is still open.
    void this.connection.attach(this.channel);
  }

  /** Calls a tool as a client would; the error if the call is not admitted. */
  call(
    caller: Caller,
    {
      origin = "client",
      progressToken,
    }: { origin?: CallOrigin; progressToken?: ProgressToken } = {},
  ): { call: Call; refused: WorkbenchError | undefined } {
    const call = callOf(caller, { origin, progressToken });
    const refused = this.connection.calls.register(call);
    if (refused === undefined)
      this.connection.calls.submit(call, requestText(call.id, "tools/call", { name: "echo" }));
    return { call, refused };
  }

  /** The server sends a message. */
  receive(message: object | string, about?: Call): void {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    this.connection.input.onLine(Line.of(text), about);
  }

  answer(id: unknown, result: unknown = {}): void {
    this.receive({ jsonrpc: "2.0", id, result });
  }

  refuse(id: unknown, code = -32601, message = "Method not found"): void {
    this.receive({ jsonrpc: "2.0", id, error: { code, message } });
  }
}
