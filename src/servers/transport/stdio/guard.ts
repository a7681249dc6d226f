import type { ChildProcess } from "node:child_process";

/**
 * Ends the servers if the workbench dies without being able to (kill -9, a crash, out of memory).
 *
 * A small shell waits for the end of its standard input, which comes when the workbench ends for any
 * reason. It then ends the process groups it was given and those of descendants that have left them.
 * One that may be downloading its server gets more time, because it may undo half a download; packages
 * that an npx leaves incomplete are removed, because every later npx would use them as they are. So are
 * containers, which do not end with the program that started them.
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

/** How many seconds a download may take to end. */
const MAX_UNDO_SECONDS = 5;

/** Waits for the groups that download, and removes packages that are new and incomplete. */
const DOWNLOADS = `
for group in $downloads; do
  count=0
  while kill -s 0 -- "-$group" 2>/dev/null && [ $count -lt ${MAX_UNDO_SECONDS} ]; do
    sleep 1
    count=$((count + 1))
  done
  kill -s KILL -- "-$group" 2>/dev/null
done
printf '%s' "$folders" | while IFS= read -r folder; do
  for package in "$folder"/*; do
    name=\${package##*/}
    case "$name" in *[!0-9a-f]*) continue ;; ????????????????) ;; *) continue ;; esac
    case "$packages" in *" $name "*) continue ;; esac
    [ -e "$package/node_modules/.package-lock.json" ] && continue
    mv "$package" "$package.incomplete-$$" && rm -rf "$package.incomplete-$$"
  done
done
`;

/** Removes containers. An empty host is the default one. */
const CONTAINERS = `
printf '%s' "$containers" | while read -r name host; do
  [ -z "$host" ] || export DOCKER_HOST="$host"
  docker rm --force "$name" >/dev/null 2>&1
  unset DOCKER_HOST
done
`;

const SCRIPT = `
PATH="$PATH:/usr/bin:/bin"
groups=" "
downloads=" "
packages=" "
folders=
containers=
note() {
  case "$1" in
    +) groups="$groups$2 " ;;
    -) groups="\${groups%% $2 *} \${groups#* $2 }" ;;
    download) downloads="$downloads$2 " ;;
    runs) downloads="\${downloads%% $2 *} \${downloads#* $2 }" ;;
    package) packages="$packages$2 " ;;
    folder) folders="$folders$2
" ;;
    container) containers="$containers$2
" ;;
    removed) containers=$(printf '%s' "$containers" | while read -r name host; do
      [ "$name" = "$2" ] || echo "$name $host"
    done)
      [ -z "$containers" ] || containers="$containers
" ;;
  esac
}
for line; do note "\${line%% *}" "\${line#* }"; done
while read -r sign rest; do note "$sign" "$rest"; done
[ "$groups" != " " ] || exit 0
processes=$( (${PROCESSES}) 2>/dev/null)
${STRAYS}
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null && left=1; done
[ -z "$left" ] || sleep 1
for group in $groups; do
  case "$downloads" in *" $group "*) continue ;; esac
  kill -s KILL -- "-$group" 2>/dev/null
done
[ "$downloads" = " " ] || {
${DOWNLOADS}
}
${CONTAINERS}
exit 0
`;

/** A shell that keeps ending is not started more often. */
const AGAIN_MS = 1000;

/** A download by npx: where it installs packages, and those that were there before. */
export interface Download {
  readonly folder?: string;
  readonly packages?: readonly string[];
}

/** A container, and the value of DOCKER_HOST that it was started with. */
export interface Container {
  readonly name: string;
  readonly host?: string | undefined;
}

export class Guard {
  #shell: ChildProcess | undefined;
  /** The groups to end, and whether they may be downloading. */
  readonly #groups = new Map<number, boolean>();
  /** Where npx installs packages, with those that were there before the first download. */
  readonly #folders = new Map<string, readonly string[]>();
  /** The containers that groups have started. */
  readonly #containers = new Map<number, Container>();

  watch(group: number, download?: Download, container?: Container): void {
    if (process.platform === "win32") return;
    this.#groups.set(group, download !== undefined);
    if (container !== undefined) this.#containers.set(group, container);
    const lines = [
      ...this.#addFolder(download),
      ...(container ? [containerLine(container)] : []),
      ...linesFor(group, download !== undefined),
    ];
    if (this.#shell === undefined) this.#start();
    else this.#say(lines);
  }

  /** The server runs, so there is nothing left to download. */
  endDownload(group: number): void {
    if (this.#groups.get(group) !== true) return;
    this.#groups.set(group, false);
    this.#say([`runs ${group}`]);
  }

  forget(group: number): void {
    this.endDownload(group);
    const container = this.#containers.get(group);
    this.#containers.delete(group);
    if (container !== undefined) this.#say([`removed ${container.name}`]);
    if (this.#groups.delete(group)) this.#say([`- ${group}`]);
  }

  /** A package that is there at a later download may be one that an earlier download has begun. */
  #addFolder({ folder, packages = [] }: Download = {}): string[] {
    if (folder === undefined || /[\r\n]/.test(folder) || this.#folders.has(folder)) return [];
    this.#folders.set(folder, packages);
    return folderLines([folder, packages]);
  }

  #say(lines: readonly string[]): void {
    this.#shell?.stdin?.write(`${lines.join("\n")}\n`);
  }

  #start(): void {
    // Loaded with the first server, not with the program.
    const { spawn } = process.getBuiltinModule("node:child_process");
    // The groups are arguments, so it knows them even if the workbench dies before it writes anything.
    const groups = [...this.#groups].flatMap(([group, isLoading]) => linesFor(group, isLoading));
    const containers = Array.from(this.#containers.values(), containerLine);
    const lines = [...[...this.#folders].flatMap(folderLines), ...containers, ...groups];
    const { PATH = "/usr/bin:/bin", HOME } = process.env;
    const shell = spawn("/bin/sh", ["-c", SCRIPT, "guard", ...lines], {
      detached: true,
      // Docker reads its settings from the home folder.
      env: { PATH, ...(HOME !== undefined && { HOME }) },
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

function folderLines([folder, packages]: readonly [string, readonly string[]]): string[] {
  return [...packages.map((name) => `package ${name}`), `folder ${folder}`];
}

function containerLine({ name, host = "" }: Container): string {
  return `container ${name} ${/[\s\\]/.test(host) ? "" : host}`;
}

function linesFor(group: number, isDownloading: boolean): string[] {
  return isDownloading ? [`download ${group}`, `+ ${group}`] : [`+ ${group}`];
}
