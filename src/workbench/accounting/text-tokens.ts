import type { Outcome } from "../../calls/outcome.ts";
import { estimateTokens } from "../../text/estimate-tokens.ts";
import { asText, isObject, parseJson } from "../../text/json.ts";
import type { ServerResponse } from "../../wire/response.ts";

/** Of longer texts, samples are counted: counting 1 MB takes about 100 ms. */
const SAMPLE_CHARS = 16 * 1024;
const SAMPLES = 4;
/** Larger responses are not parsed. */
const MAX_PARSED_BYTES = 256 * 1024;

/** The estimated tokens of a text of any length. */
export function tokensIn(text: string): number {
  const { length } = text;
  if (length <= SAMPLE_CHARS * SAMPLES) return estimateTokens(text);
  let tokens = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const at = Math.floor(((length - SAMPLE_CHARS) * i) / (SAMPLES - 1));
    tokens += estimateTokens(text.slice(at, at + SAMPLE_CHARS));
  }
  return Math.round((tokens * length) / (SAMPLE_CHARS * SAMPLES));
}

/** What a model reads of the outcome of a tool call: its texts. Media are not counted. */
export function outcomeTokens(outcome: Outcome): number {
  if (outcome.kind === "response") return responseTokens(outcome.response);
  if (outcome.kind === "result") {
    const { result } = outcome;
    return resultTokens(typeof result === "string" ? parseJson(result) : result);
  }
  return outcome.kind === "cancelled" ? 0 : tokensIn(outcome.error.message);
}

export function responseTokens(response: ServerResponse): number {
  const text = response.withId("0");
  if (response.bytes > MAX_PARSED_BYTES) return tokensIn(text);
  const message = parseJson(text);
  if (!isObject(message)) return 0;
  const { error, result } = message;
  return isObject(error) ? tokensIn(asText(error["message"])) : resultTokens(result);
}

export function resultTokens(result: unknown): number {
  if (!isObject(result) || !Array.isArray(result["content"])) return 0;
  let tokens = 0;
  for (const block of result["content"] as unknown[]) {
    if (!isObject(block)) continue;
    const resource = block["resource"];
    tokens += tokensIn(asText(block["text"]));
    if (isObject(resource)) tokens += tokensIn(asText(resource["text"]));
  }
  return tokens;
}
