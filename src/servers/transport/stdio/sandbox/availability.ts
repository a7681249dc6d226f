import { execFile } from "node:child_process";
import { codeOf } from "../../../../text/error-code.ts";

/** Why a program for sandboxes cannot be used, and what to do about it. */
export interface Unavailable {
  readonly reason: string;
  readonly fix: string;
}

const PROBE_MS = 10_000;

/** How programs are run; tests replace it. */
export type RunProgram = (
  command: string,
  args: readonly string[],
) => Promise<{ readonly error?: unknown; readonly stderr: string }>;

const run: RunProgram = (command, args) =>
  new Promise((resolve) => {
    const options = { timeout: PROBE_MS, env: { PATH: process.env["PATH"] ?? "" } };
    execFile(command, [...args], options, (error, _stdout, stderr) =>
      resolve(error === null ? { stderr } : { error, stderr }),
    );
  });

/** Starts an empty sandbox: that a program is installed does not mean that it may be used. */
export async function bwrapProblem(
  platform: NodeJS.Platform = process.platform,
  runProgram = run,
): Promise<Unavailable | undefined> {
  if (platform !== "linux")
    return { reason: "bwrap exists only on Linux", fix: 'Use "kind": "docker"' };
  const args = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--", "true"];
  const { error, stderr } = await runProgram("bwrap", args);
  if (error === undefined) return undefined;
  if (codeOf(error) === "ENOENT")
    return {
      reason: "bwrap is not installed",
      fix: "Install bubblewrap, for example with: sudo apt-get install bubblewrap",
    };
  const [line = "it failed"] = stderr.trim().split("\n");
  return { reason: `bwrap does not work here: ${line}`, fix: NAMESPACES };
}

const NAMESPACES =
  "Allow unprivileged user namespaces: on Ubuntu, with an AppArmor profile for bwrap or 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'; in a container, with '--security-opt seccomp=unconfined'";

export async function dockerProblem(runProgram = run): Promise<Unavailable | undefined> {
  const { error, stderr } = await runProgram("docker", [
    "version",
    "--format",
    "{{.Server.Version}}",
  ]);
  if (error === undefined) return undefined;
  if (codeOf(error) === "ENOENT")
    return { reason: "docker is not installed", fix: "Install Docker Engine or Docker Desktop" };
  const [line = "it failed"] = stderr.trim().split("\n");
  return {
    reason: `docker does not work: ${line}`,
    fix: "Start Docker, and make sure that you may use it without sudo",
  };
}
