import { NotRunnable, type Template } from "../offer.ts";

/*
 * Options that show folders of this machine to a container. What it sees is for the user to choose: the
 * publisher may name a volume, and the place in the container.
 */

const MOUNTS = new Set(["-v", "--volume", "--mount"]);

export const isMount = (option: string): boolean => MOUNTS.has(option);

/** Fields of `--mount`. Others, such as `volume-opt`, can mount a folder, too. */
const SOURCES = new Set(["src", "source"]);
const OTHERS = new Set(["dst", "destination", "target", "readonly", "ro"]);
const TYPES = new Set(["bind", "volume", "tmpfs"]);
const VOLUME_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
/** Marks an input in a text. A text of the publisher cannot contain it. */
const INPUT = "\0";

/**
 * Refuses a mount whose source the publisher chooses. `onChosen` gets the inputs in the source, which must
 * not have a default.
 */
export function checkMount(
  option: string,
  value: Template,
  onChosen: (input: string) => void,
): void {
  const inputs = value.flatMap((part) => (typeof part === "string" ? [] : [part.input]));
  const text = value.map((part) => (typeof part === "string" ? part : INPUT)).join("");
  const refusal = (): NotRunnable => {
    const shown = value.map((part) => (typeof part === "string" ? part : `<${part.input}>`));
    return new NotRunnable(
      `it mounts '${shown.join("")}' of this machine into its container. Only folders that you choose are allowed`,
    );
  };
  // Quotes would be removed by the launcher, after this was checked.
  const isPlain = !value.some((part) => typeof part === "string" && /["\0]/.test(part));
  const sources = option === "--mount" ? mountSources(text) : volumeSources(text);
  if (!isPlain || sources === undefined) throw refusal();
  for (const { at, source } of sources) {
    if (!source.startsWith(INPUT) && !VOLUME_NAME.test(source.replaceAll(INPUT, "")))
      throw refusal();
    const before = countIn(text.slice(0, at));
    for (const input of inputs.slice(before, before + countIn(source))) onChosen(input);
  }
}

interface MountSource {
  readonly at: number;
  readonly source: string;
}

/** What `--mount` mounts; undefined if it has a field that is not known. */
function mountSources(text: string): readonly MountSource[] | undefined {
  const sources: MountSource[] = [];
  let at = 0;
  for (const field of text.split(",")) {
    const [written = "", ...rest] = field.split("=");
    const key = written.trim().toLowerCase();
    const value = rest.join("=");
    if (SOURCES.has(key)) sources.push({ at: at + written.length + 1, source: value });
    else if (!OTHERS.has(key) && !(key === "type" && TYPES.has(value))) return undefined;
    at += field.length + 1;
  }
  return sources;
}

function volumeSources(text: string): readonly MountSource[] {
  // Without a colon it could still be a value of the user, with one in it.
  const [source = ""] = text.split(":");
  return [{ at: 0, source }];
}

const countIn = (text: string): number => text.split(INPUT).length - 1;
