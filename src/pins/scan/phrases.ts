import { plainText } from "./plain-text.ts";

/** Phrases that speak to a model instead of describing a tool. Each alone can be innocent. */
export type PhraseSignal =
  | "asks to conceal something from the user"
  | "overrides other instructions"
  | "sends secrets"
  | "instructions in a tag"
  | "demands to be called before other tools";

const NOT = String.raw`\b(?:do not|don['’]?t|never|must not|should not|avoid|without|refrain from|no need to)\b`;
const REVEAL = String.raw`\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|notify(?:ing)?|alert(?:ing)?|let(?:ting)?)\b`;
const PERSON = String.raw`\b(?:users?|humans?|operators?|person|people|owner)\b`;
const UNKNOWING = String.raw`\b(?:know(?:s|ing|ledge)?|see|learn|notic(?:e|ing)|find out|realize|aware(?:ness)?|informed|told|notified)\b`;

const CONCEALMENT = new RegExp(
  [
    `${NOT}[^.;\\n]{0,30}${REVEAL}[^.;\\n]{0,60}${PERSON}`,
    `${NOT}[^.;\\n]{0,30}${REVEAL}[^.;\\n]{0,20}\\b(?:this|that|it)\\b(?!\\s+tool)`,
    // keep this secret from the user; hide it from the user
    `\\b(?:keep|keeping|stay|remain)\\b[^.;\\n]{0,40}\\b(?:secret|hidden|confidential|private|quiet|silent)\\b[^.;\\n]{0,30}${PERSON}`,
    `\\bkeep\\s+(?:this|that|it)\\s+(?:a\\s+)?(?:secret|confidential|hidden|to yourself|between us)\\b`,
    `\\b(?:hide|hiding|conceal(?:ing)?|withhold(?:ing)?)\\b[^.;\\n]{0,40}\\bfrom\\b[^.;\\n]{0,15}${PERSON}`,
    // the user must not know; without the user's knowledge
    `${PERSON}\\s+(?:(?:must|should|may|can|shall|need|will)\\s*(?:not|n['’]?t|never)|cannot|never|is not to|are not to)\\s+(?:be\\s+|to\\s+|ever\\s+)*${UNKNOWING}`,
    `\\bwithout\\b[^.;\\n]{0,15}${PERSON}(?:['’]s?)?\\s+(?:ever\\s+|being\\s+)?${UNKNOWING}`,
  ].join("|"),
  "i",
);
const OVERRIDE =
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.;\n]{0,20}\b(?:previous|prior|above|earlier|other|existing|system|all)\b[^.;\n]{0,20}\b(?:instructions?|prompts?|rules|guidelines|directives)\b|\bnew (?:system )?instructions\s*:|\byou are now (?:in|an?)\b/i;
const SECRET_PATH =
  /(?:~|\$HOME|\/home\/\w+|\/root)\/\.(?:ssh|aws|gnupg|kube|docker|cursor|claude|config\/gcloud|netrc|npmrc|git-credentials)|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/(?:passwd|shadow)\b|(?:^|[\s"'`/(])\.env\b(?!\.example)|\.aws\/credentials|\bmcp\.json\b|\bclaude_desktop_config\.json\b|\b(?:environment variables|api keys|private keys?)\b/i;
const SENDING =
  /\b(?:send|upload|post|transmit|exfiltrate|forward|e-?mail|attach|append|include|pass)\b[^.;\n]{0,60}\b(?:contents?|it|them|its|value|values|data|file|keys?|text|result)\b/i;
const TAG =
  /<\/?\s*(?:important|system|instructions?|secret|hidden|critical|admin|override|assistant)(?:[_ -]?(?:notes?|prompt|message|instructions?|rules?))?\s*>|\[\/?(?:system|inst|important instructions?)\]|<\|[a-z_]+\|>|^#{1,6}\s*system(?: prompt)?\s*$/im;
const STEERING =
  /\b(?:before|prior to)\b[^.;\n]{0,30}\b(?:using|calling|invoking|running|any)\b[^.;\n]{0,20}\b(?:any|all|every|other)\b[^.;\n]{0,15}\btools?\b|\binstead of\b[^.;\n]{0,30}\b(?:other|any)\b[^.;\n]{0,15}\btools?\b|\b(?:always|must)\b[^.;\n]{0,20}\b(?:call|use|invoke|run)\b[^.;\n]{0,40}\b(?:first|before)\b/i;

/** The signals in the texts of one definition. */
export function phraseSignals(texts: readonly string[]): readonly PhraseSignal[] {
  // The texts stay apart, but a line break inside one of them does not divide a phrase.
  const text = texts.map(plainText).join("\n");
  const found: PhraseSignal[] = [];
  if (CONCEALMENT.test(text)) found.push("asks to conceal something from the user");
  if (OVERRIDE.test(text)) found.push("overrides other instructions");
  if (SECRET_PATH.test(text) && SENDING.test(text)) found.push("sends secrets");
  if (TAG.test(text) || texts.some((one) => TAG.test(one))) found.push("instructions in a tag");
  if (STEERING.test(text)) found.push("demands to be called before other tools");
  return found;
}
