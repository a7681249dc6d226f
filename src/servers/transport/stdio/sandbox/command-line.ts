/** What is executed to start a server. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** The name of the Docker container that it runs in, which may outlive the program. */
  readonly container?: string;
}
