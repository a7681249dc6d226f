import type { SandboxSettings } from "../../../../config/types.ts";
import type { CommandLine } from "./command-line.ts";

const START = ["run", "-i", "--rm", "--init", "--name"];
const LIMITS = [
  ["--read-only", "--tmpfs", "/tmp"],
  ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
  ["--memory", "2g", "--cpus", "1", "--pids-limit", "256"],
].flat();

export interface DockerContext {
  /** A name that no other container has. */
  readonly name: string;
  /** The user and group that own what the server writes; undefined on Windows. */
  readonly user: string | undefined;
  /** The variables that the server gets; the others are only for the docker program. */
  readonly declared: readonly string[];
}

/**
 * The command line that starts a server in a container. Variables are passed by name: docker takes
 * their values from its own environment, so that no secret is on a command line.
 */
export function dockerCommand(
  { command, args, env, cwd }: CommandLine,
  { read, write, network, image = "" }: SandboxSettings,
  { name, user, declared }: DockerContext,
): CommandLine {
  return {
    command: "docker",
    args: [
      ...START,
      name,
      "--network",
      network ? "bridge" : "none",
      ...LIMITS,
      ...(user === undefined ? [] : ["--user", user]),
      ...read.flatMap((path) => ["--mount", mount(path, true)]),
      ...write.flatMap((path) => ["--mount", mount(path, false)]),
      ...(cwd === undefined ? [] : ["--workdir", cwd]),
      ...declared.flatMap((variable) => ["--env", variable]),
      image,
      command,
      ...args,
    ],
    env,
    cwd: undefined,
    container: name,
  };
}

/** A field with a comma or a quote has to be quoted, as in CSV. */
function mount(path: string, isReadOnly: boolean): string {
  const field = (text: string): string =>
    /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const fields = ["type=bind", field(`source=${path}`), field(`target=${path}`)];
  return [...fields, ...(isReadOnly ? ["readonly"] : [])].join(",");
}
