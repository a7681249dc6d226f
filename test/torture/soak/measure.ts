/** What the programs use, measured over and over. */
import { setTimeout as delay } from "node:timers/promises";
import { rss } from "../../support/proc.ts";
import { resourcesOf } from "../resources.ts";
import { Series } from "./series.ts";
import { heapOf, type Lasting } from "./world.ts";

const MB = 1024 ** 2;

export class Gauge {
  readonly #program: Lasting;
  readonly #heap: Series;
  readonly #rss: Series;
  readonly #fds: Series;
  readonly #processes: Series;

  constructor(program: Lasting) {
    this.#program = program;
    const { name } = program;
    this.#heap = new Series(`${name}: heap`, "MB", { perHour: 1, rise: 0.5 });
    // The engine takes more during a flood and releases it when it likes; what is in use is above.
    this.#rss = new Series(`${name}: resident`, "MB", { perHour: 10, rise: 10 });
    this.#fds = new Series(`${name}: files`, "", { perHour: 1, rise: 3 });
    this.#processes = new Series(`${name}: processes`, "", { perHour: 1, rise: 2 });
  }

  get series(): readonly Series[] {
    return [this.#heap, this.#rss, this.#fds, this.#processes];
  }

  async measure(): Promise<void> {
    const pid = this.#program.pipe.child.pid ?? 0;
    const { place } = this.#program;
    this.#heap.add(performance.now(), await heapOf(this.#program));
    const at = performance.now();
    this.#rss.add(at, rss(pid) / MB);
    this.#fds.add(at, resourcesOf(pid, place).fds);
    this.#processes.add(at, place.servers().length);
  }
}

/** Measures all programs every so often until the end. */
export async function measureAlong(
  gauges: readonly Gauge[],
  everyMs: number,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    await Promise.all(gauges.map((gauge) => gauge.measure()));
    await delay(everyMs);
  }
}
