/** Long enough for a command; shorter runs are words and identifiers. */
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}/g;
const HEX =
  /(?<![0-9a-zA-Z])(?:0x)?((?:[0-9a-f]{2}){8,})(?![0-9a-zA-Z])|((?:\\x[0-9a-f]{2}){8,})/gi;
/** A description has at most a few; more are data. */
const MAX_RUNS = 200;
const MAX_RUN_CHARS = 8192;

const COMMAND =
  /\b(?:curl|wget)\s+\S*(?:-\w|https?:|\w\.\w)|\b(?:ba|z|da)?sh\s+-[ci]\b|\/bin\/(?:ba|z|da)?sh\b|\|\s*(?:ba|z|da)?sh\b|\bpowershell(?:\.exe)?\s+-|\bInvoke-(?:Expression|WebRequest)\b|\brm\s+-\w*[rf]|\bnc\s+-\w|\bchmod\s+\+x\b|\bpython3?\s+-c\b|\bnode\s+-e\b|\bcat\s+[~/.]\S*(?:ssh|env|passwd|aws)/i;

/** A shell command that is written in base64 or hexadecimal digits; undefined if there is none. */
export function encodedCommand(text: string): string | undefined {
  let runs = 0;
  for (const [run] of text.matchAll(BASE64)) {
    if (++runs > MAX_RUNS) break;
    const found = commandIn(Buffer.from(run.slice(0, MAX_RUN_CHARS), "base64"));
    if (found !== undefined) return found;
  }
  for (const [, plain, escaped] of text.matchAll(HEX)) {
    if (++runs > MAX_RUNS) break;
    const digits = (plain ?? escaped ?? "").replaceAll(/\\x/gi, "");
    const found = commandIn(Buffer.from(digits.slice(0, MAX_RUN_CHARS), "hex"));
    if (found !== undefined) return found;
  }
  return undefined;
}

function commandIn(bytes: Buffer): string | undefined {
  const text = bytes.toString("latin1");
  // oxlint-disable-next-line no-control-regex -- other control characters mean that it is not text
  if (/[^\x09\x0a\x0d\x20-\x7e]/.test(text)) return undefined;
  return COMMAND.test(text) ? text : undefined;
}
