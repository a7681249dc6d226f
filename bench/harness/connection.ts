/** The start of an answer: the client must not cost as much as what it measures. */
export interface Answer {
  readonly bytes: number;
  readonly head: string;
}

/** A connection to tools, whatever is in between. */
export interface Connection {
  /** The process in between; undefined if there is none. */
  readonly pid: number | undefined;
  request(method: string, params: unknown): Promise<Answer>;
  call(server: string, tool: string, args: unknown): Promise<Answer>;
  close(): Promise<void>;
}

/** How a tool is named in a call: the `params` of `tools/call`. */
export type CallParams = (server: string, tool: string, args: unknown) => unknown;

export const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

export const ownName: CallParams = (_server, tool, args) => ({ name: tool, arguments: args });
