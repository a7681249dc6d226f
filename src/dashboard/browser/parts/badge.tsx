import type { VNode } from "preact";

export type Tone = "good" | "warn" | "bad" | "neutral";

/** A state in a word. Its colour and shape repeat what the word says. */
export function Badge({ tone, text }: { readonly tone: Tone; readonly text: string }): VNode {
  return <span class={`badge dot ${tone}`}>{text}</span>;
}
