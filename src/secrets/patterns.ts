import { snakeWords } from "../text/snake-words.ts";

/* Recognises secrets by name, by prefix, or by randomness. */

/** Prefixes that issuers give their tokens so that they can be recognised. */
const PREFIXES = [
  "mwb_",
  "ghp_",
  "gho_",
  "ghu_",
  "ghs_",
  "ghr_",
  "github_pat_",
  "glpat-",
  "gldt-",
  "sk-ant-",
  "sk-proj-",
  "sk-",
  "sk_live_",
  "sk_test_",
  "rk_live_",
  "pk_live_",
  "whsec_",
  "xoxb-",
  "xoxp-",
  "xoxa-",
  "xoxs-",
  "xoxe-",
  "xapp-",
  "AKIA",
  "ASIA",
  "AIza",
  "ya29.",
  "hf_",
  "npm_",
  "pypi-",
  "SG.",
  "shpat_",
  "dop_v1_",
  "lin_api_",
  "ntn_",
  "secret_",
  "figd_",
  "ATATT",
  "tvly-",
  "fc-",
  "gsk_",
  "pplx-",
  "r8_",
  "phx_",
  "sntrys_",
  "sbp_",
  "dapi",
  "eyJ",
];

/** Compiled when first needed, which is not while a client waits for the start. */
let token: RegExp | undefined;

function tokenPattern(): RegExp {
  if (token !== undefined) return token;
  const escaped = PREFIXES.map((prefix) => prefix.replaceAll(/[.\\]/g, String.raw`\$&`)).join("|");
  token = new RegExp(`(?<![\\w.-])(?:${escaped})[\\w.~+/=-]{12,}`, "g");
  return token;
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*/g;

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Tokens in a text with a known prefix. */
export function tokensIn(text: string): readonly Range[] {
  return [...text.matchAll(tokenPattern()), ...text.matchAll(PRIVATE_KEY)]
    .filter(([token]) => hasDigit(token) || token.startsWith("-----"))
    .map(({ 0: token, index }) => ({ start: index, end: index + token.length }));
}

/** The public prefix of a token, or an empty string. */
export function knownPrefix(token: string): string {
  return PREFIXES.find((prefix) => token.startsWith(prefix)) ?? "";
}

const SECRET_NAME =
  /token(?!s)|secret|passw(?:or)?d|pwd|passphrase|api_?key|access_?key|private_?key|credential|authorization|bearer|cookie|(?:^|_)(?:pat|auth|key|jwt|sid|creds|(?:pg)?pass)$/;
const HARMLESS_NAME =
  /(?:_(?:file|path|dir|url|uri|id|ids|name|type|header|region|endpoint|host|limit|count|ttl|expiry|timeout|enabled|mode|env|env_var))$|^(?:max|min|num|public)_/;

const POSSIBLY_SECRET_NAME =
  /key|token|secret|pass(?:w|phrase|code)|(?<!com|by)pass(?![a-z])|pwd|auth|cred(?:s|ential)|cookie|session|bearer|signature|(?<![a-z])(?:pat|sig|jwt|otp|pin)(?![a-z])/i;

/**
 * Whether a value with this name may be secret and is hidden in logs and errors as a whole. Hiding
 * a harmless value there costs only a little readability.
 */
export function isPossiblySecretName(name: string): boolean {
  return POSSIBLY_SECRET_NAME.test(name);
}

/**
 * Whether a value with this name is probably secret: `GITHUB_TOKEN`, `--api-key`, `X-Api-Key`.
 * Stricter, because users are asked to do something about it.
 */
export function isSecretName(name: string): boolean {
  const words = snakeWords(name).toLowerCase();
  return SECRET_NAME.test(words) && !HARMLESS_NAME.test(words);
}

/** Whether a text refers to a variable; `$${` is a literal `${`. */
export function hasReference(text: string): boolean {
  const start = text.search(/(?<!\$)\$\{/);
  return start !== -1 && text.includes("}", start);
}

/** Whether a value is a placeholder for a secret, or clearly not one. */
export function isPlaceholder(value: string): boolean {
  return (
    value.length < 4 ||
    hasReference(value) ||
    /^(?:true|false|null|none|\d{1,9})$/i.test(value) ||
    /^(?:\/|~|\.{1,2}[\\/]|[A-Za-z]:[\\/])/.test(value) ||
    /^[a-z][a-z\d+.-]*:\/\//i.test(value) ||
    /^<.*>$|^\[.*\]$|^x+$|^\*+$|^\.+$/i.test(value) ||
    /^(?:your|my|insert|enter|replace|change|paste|todo|example|placeholder|dummy)/i.test(value)
  );
}

/**
 * Parts of a text that are too random to be words: long, of letters and digits, with the entropy of
 * generated text. Whole hexadecimal digests can be exempt, because a pinned commit or image is not
 * a secret.
 */
export function randomIn(
  text: string,
  { digests }: { digests: "secret" | "fine" },
): readonly Range[] {
  return [...text.matchAll(/[A-Za-z\d+=]{20,}(?:[_-][A-Za-z\d+=]{6,})*/g)]
    .filter(([part]) => {
      if (!hasDigit(part) || !/[A-Za-z]/.test(part)) return false;
      if (digests === "fine" && /^(?:[\da-f]{40}|[\da-f]{64})$/.test(part)) return false;
      // Long names consist of words; of generated text, most remains.
      const wordless = part.replaceAll(/[A-Z]?[a-z]{4,}/g, "");
      return wordless.length >= part.length * 0.4 && entropy(part) >= 3.3;
    })
    .map(({ 0: part, index }) => ({ start: index, end: index + part.length }));
}

/** Bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const hasDigit = (text: string): boolean => /\d/.test(text);
