export interface Result {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export class StdioClient {
  /** Without `onStderr`, the program writes to the standard error of this one. */
  constructor(
    args: readonly string[],
    era: "legacy" | "modern",
    env: Readonly<Record<string, string>>,
    onStderr?: (text: string) => void,
  );
  connect(): Promise<void>;
  request(method: string, params: object): Promise<Result>;
  close(): Promise<void>;
}
