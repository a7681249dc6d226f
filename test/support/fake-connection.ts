/** A connection whose server is the test: what is sent is kept, and the test says what comes back. */
import type { ServerSettings } from "../../src/config/types.ts";
import type { WorkbenchError } from "../../src/errors.ts";
import { Call, type Caller } from "../../src/relay/call.ts";
import type { Era } from "../../src/relay/client-profile.ts";
import type { Question } from "../../src/relay/question.ts";
import { CallStatistics } from "../../src/servers/call-statistics.ts";
import type { Channel } from "../../src/servers/channel.ts";
import { Connection } from "../../src/servers/connection.ts";
import { NO_GREETING } from "../../src/servers/greeting.ts";
import { type Host, quietHost } from "../../src/servers/host.ts";
import { ServerFailures } from "../../src/servers/server-failures.ts";
import { Line } from "../../src/wire/lines.ts";
import type {
  IncomingNotification,
  IncomingRequest,
  JsonObject,
  ProgressToken,
} from "../../src/wire/messages.ts";
import { requestText } from "../../src/wire/messages.ts";
import type { ServerResponse } from "../../src/wire/response.ts";

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
    toolFilters: ["*"],
    overrides: {},
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
  /** Whether the channel itself tells the server that a call was given up. */
  tellsOfAbandoned = false;
  stderr: string[] = [];
  readonly sent: Message[] = [];
  readonly abandoned: Call[] = [];
  readonly agreed: [Era, string][] = [];
  closed = 0;
  /** Sees each message as it is sent, and may answer it. */
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

  negotiated(era: Era, version: string): void {
    this.agreed.push([era, version]);
  }

  unusable(): undefined {}

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

/** Somebody who calls, and remembers everything that became of it. */
export class FakeCaller implements Caller {
  readonly answers: JsonObject[] = [];
  readonly errors: WorkbenchError[] = [];
  readonly progress: JsonObject[] = [];
  readonly questions: [Question, Call | undefined][] = [];

  answered(_call: Call, response: ServerResponse): void {
    this.answers.push(response.parse() as JsonObject);
  }

  failed(_call: Call, error: WorkbenchError): void {
    this.errors.push(error);
  }

  progressed(_call: Call, { params }: IncomingNotification): void {
    this.progress.push(params);
  }

  asked(question: Question, call: Call | undefined): void {
    this.questions.push([question, call]);
  }

  get ends(): number {
    return this.answers.length + this.errors.length;
  }
}

export class FakeConnection {
  readonly channel = new FakeChannel();
  readonly notifications: IncomingNotification[] = [];
  readonly requests: IncomingRequest[] = [];
  readonly losses: string[] = [];
  readonly statistics = new CallStatistics();
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
        statistics: this.statistics,
        failures: this.failures,
      },
      {
        notified: (notification) => void this.notifications.push(notification),
        requested: (request) => void this.requests.push(request),
        lost: (reason) => void this.losses.push(reason),
      },
    );
    this.connection.greeting = { ...NO_GREETING };
    // Resolves at once, since nobody has closed the connection yet.
    void this.connection.attach(this.channel);
  }

  /** Calls a tool as a client would; the error if the call is not admitted. */
  call(
    caller: Caller,
    { callerId = "1", progressToken }: { callerId?: string; progressToken?: ProgressToken } = {},
  ): { call: Call; refused: WorkbenchError | undefined } {
    const call = new Call(caller, callerId, "tools/call", "echo", progressToken);
    const refused = this.connection.admit(call);
    if (refused === undefined)
      this.connection.dispatch(call, requestText(call.id, "tools/call", { name: "echo" }));
    return { call, refused };
  }

  /** The server says something. */
  receive(message: object | string, about?: Call): void {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    this.connection.line(Line.of(text), about);
  }

  answer(id: unknown, result: unknown = {}): void {
    this.receive({ jsonrpc: "2.0", id, result });
  }

  refuse(id: unknown, code = -32601, message = "Method not found"): void {
    this.receive({ jsonrpc: "2.0", id, error: { code, message } });
  }
}
