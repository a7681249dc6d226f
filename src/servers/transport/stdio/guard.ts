import type { ChildProcess } from "node:child_process";

/**
 * Ends the servers if the workbench dies without being able to (kill -9, a crash, out of memory).
 *
 * A small shell waits for the end of its standard input, which comes when the workbench ends for any
 * reason. It then ends the process groups it was given and those of descendants that have left them.
 * It is started with the first server, takes about a megabyte, and has its own session so that signals
 * for the workbench do not reach it. On Windows there is no such shell: servers have to react to the
 * end of their standard input.
 */

/** Prints the id, the parent and the group of every process; many containers have no `ps`. */
const PROCESSES = `
if [ -r /proc/self/stat ]; then
  for file in /proc/[0-9]*/stat; do
    read -r stat < "$file" || continue
    set -- \${stat##*) }
    echo "\${stat%% *} $2 $3"
  done
else
  ps -A -o pid=,ppid=,pgid=
fi
`;

/** Adds to the groups those of their members' descendants, until there are no more. */
const STRAYS = `
family=" "
found=1
while [ -n "$found" ]; do
  found=
  while read -r pid parent group; do
    case "$family" in *" $pid "*) continue ;; esac
    case "$groups" in
      *" $group "*) ;;
      *)
        case "$family" in *" $parent "*) groups="$groups$group " ;; *) continue ;; esac
        ;;
    esac
    family="$family$pid "
    found=1
  done <<END
$processes
END
done
`;

const SCRIPT = `
groups=" "
for group; do groups="$groups$group "; done
while read -r sign group; do
  case "$sign" in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
[ "$groups" != " " ] || exit 0
processes=$( (${PROCESSES}) 2>/dev/null)
${STRAYS}
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null && left=1; done
[ -n "$left" ] || exit 0
sleep 1
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
exit 0
`;

/** A shell that keeps ending is not started more often. */
const AGAIN_MS = 1000;

export class Guard {
  #shell: ChildProcess | undefined;
  readonly #groups = new Set<number>();

  watch(group: number): void {
    if (process.platform === "win32") return;
    this.#groups.add(group);
    if (this.#shell === undefined) this.#start();
    else this.#say(`+ ${group}`);
  }

  forget(group: number): void {
    if (this.#groups.delete(group)) this.#say(`- ${group}`);
  }

  #say(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }

  #start(): void {
    // Loaded with the first server, not with the program.
    const { spawn } = process.getBuiltinModule("node:child_process");
    // The groups are arguments, so it knows them even if the workbench dies before it writes anything.
    const shell = spawn("/bin/sh", ["-c", SCRIPT, "guard", ...Array.from(this.#groups, String)], {
      detached: true,
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#shell = shell;
    // A shell that could not be started or was killed is started again.
    const gone = (): void => {
      this.#shell = undefined;
      setTimeout(() => {
        if (this.#shell === undefined && this.#groups.size > 0) this.#start();
      }, AGAIN_MS).unref();
    };
    shell.on("error", gone);
    shell.on("exit", gone);
    shell.stdin?.on("error", () => {});
    shell.unref();
    (shell.stdin as unknown as { unref?: () => void } | undefined)?.unref?.();
  }
}
