/** What is executed to start a server. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Run after the server has ended, to remove what it leaves behind. */
  readonly cleanUp?: readonly string[];
}
