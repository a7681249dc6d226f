import { describe, expect, it } from "vitest";

import type { ChannelEvents } from "../../servers/transport/channel.ts";
import { concernsScripts } from "./script-files.ts";
import { type LoadedScripts, ScriptsChannel } from "./scripts-channel.ts";

const loaded = (source: string): LoadedScripts => ({
  scripts: new Map([
    ["a", { name: "a", file: "a.ts", source, code: source, definition: { name: "a" } }],
  ]),
  problems: [],
});

/** A channel whose folder is read when the test says so. */
function channel(): { sourceOf: () => string | undefined; change: () => void; reads: Read[] } {
  const reads: Read[] = [];
  let change = (): void => undefined;
  const source = {
    read: () =>
      new Promise<LoadedScripts>((resolve) => reads.push((text) => resolve(loaded(text)))),
    watch: (onChange: () => void) => {
      change = onChange;
      return () => undefined;
    },
  };
  const events = { onLine: () => undefined } as unknown as ChannelEvents;
  const scripts = new ScriptsChannel(source, loaded("first"), {
    run: () => Promise.reject(new Error("not called")),
    onProblem: () => undefined,
    events,
  });
  return { sourceOf: () => scripts.sourceOf("a"), change: () => change(), reads };
}
type Read = (source: string) => void;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a folder of scripts", () => {
  it("is read again after a change during reading, so that the newest content counts", async () => {
    const { sourceOf, change, reads } = channel();
    change();
    change();
    // Were a second reading under way, it could end before the first.
    reads[1]?.("newest");
    await settled();
    reads[0]?.("old");
    await settled();
    reads[1]?.("newest");
    await settled();
    expect(sourceOf()).toBe("newest");
    expect(reads).toHaveLength(2);
  });

  it("is not read because of other files in it", () => {
    const changes = ["a.ts", "b.js", "c.mts", "scripts", null, "server.log", ".a.ts.swp", "a.d.ts"];
    expect(changes.filter((file) => concernsScripts("/home/scripts", file))).toEqual(
      changes.slice(0, 5),
    );
  });
});
