import type { ClusterLink } from "../cluster/cluster-link.ts";
import { reasonOf } from "../errors.ts";
import { versionOf } from "../files/file-version.ts";
import { readText } from "../files/text-file.ts";
import { writeFileAtomic } from "../files/write-atomic.ts";
import type { Logger } from "../log.ts";
import { parseLock } from "./lock-file.ts";

export { lockFileOf } from "../config/lock-path.ts";

/** The channel, the changes by what was in the file before, and their number. */
const NAME = "pins";
const COUNT = "pins:count";
const PURPOSE = "pins";
/** More is not kept in Redis. */
const MAX_CHARS = 256 * 1024;
const MODE = 0o644;
const CHECK_MS = 1000;

/** Records a change, unless another replica has made a different one of the same text. */
const RECORD = `
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known and tonumber(string.match(known, '^%d+')) > tonumber(ARGV[2]) then return 0 end
local number = redis.call('INCR', KEYS[2])
redis.call('HSET', KEYS[1], ARGV[1], number .. ':' .. ARGV[3])
return number`;

/**
 * Makes changes of the lock file on one machine on all that have the same file. A lock file may also come with the
 * configuration, so a machine with a different one keeps it: what is shared is not the file, but each step from one content
 * to the next.
 */
export async function shareLock(file: string, link: ClusterLink, log: Logger): Promise<void> {
  const shared = new SharedLockFile(file, link, log);
  await shared.start();
}

class SharedLockFile {
  readonly #file: string;
  readonly #link: ClusterLink;
  readonly #log: Logger;
  /** The content that has been compared with Redis; empty if there is no file. */
  #text = "";
  /** The number of the change that led to it. */
  #number = 0;
  /** The version of the file that was read last. */
  #seen: string | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(file: string, link: ClusterLink, log: Logger) {
    this.#file = file;
    this.#link = link;
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#text = await this.#read();
    const compare = (): void => void this.#compare();
    setInterval(() => {
      if (versionOf(this.#file) !== this.#seen) compare();
    }, CHECK_MS).unref();
    this.#link.subscribe(NAME, compare);
    this.#link.onUp(compare);
    await this.#compare();
  }

  #compare(): Promise<void> {
    this.#work = this.#work.then(async () => {
      try {
        await this.#share();
        await this.#adopt();
      } catch (error) {
        // It is tried again when Redis is back.
        if (this.#link.isUp)
          this.#log.warn(`workbench-lock.json is not shared: ${reasonOf(error)}`);
      }
    });
    return this.#work;
  }

  /** Records what was changed on this machine. A file that was removed or damaged is not shared. */
  async #share(): Promise<void> {
    const link = this.#link;
    const text = await this.#read();
    if (text === this.#text || text === "" || text.length > MAX_CHARS) return;
    parseLock(text);
    const step = [this.#field(), this.#number, link.seal(text, PURPOSE)];
    const number = await link.script(RECORD, [link.key(NAME), link.key(COUNT)], step);
    if (Number(number) === 0)
      this.#log.warn(
        "workbench-lock.json was changed differently on another replica, so the changes here are not shared",
      );
    else {
      this.#number = Number(number);
      link.publish(NAME, "changed");
    }
    this.#text = text;
  }

  /** Follows the changes that others have made of the same text. */
  async #adopt(): Promise<void> {
    for (;;) {
      const step = await this.#nextStep();
      if (step === undefined) return;
      const { next, number } = step;
      parseLock(next);
      const text = this.#text === "" ? undefined : this.#text;
      if (next !== this.#text)
        await writeFileAtomic(this.#file, next, { expect: { text }, mode: MODE });
      this.#text = next;
      this.#number = number;
      this.#log.info("workbench-lock.json was changed on another replica");
    }
  }

  /** The change of the current text that another replica has made, maybe with a key that is being replaced. */
  async #nextStep(): Promise<{ readonly next: string; readonly number: number } | undefined> {
    const link = this.#link;
    for (const field of link.codes(this.#text, PURPOSE)) {
      const found = await link.command("HGET", link.key(NAME), field);
      const [, digits = "", sealed = ""] = /^(\d+):(.*)$/s.exec(String(found)) ?? [];
      const next = link.open(sealed, PURPOSE);
      // A later change may have led back to this text.
      if (next !== undefined && Number(digits) > this.#number)
        return { next, number: Number(digits) };
    }
    return undefined;
  }

  /** Names the change of the current text; it cannot be read in Redis. */
  #field(): string {
    return this.#link.sign(this.#text, PURPOSE);
  }

  async #read(): Promise<string> {
    this.#seen = versionOf(this.#file);
    return (await readText(this.#file)) ?? "";
  }
}
