import type { Range } from "./patterns.ts";

/** Addresses whose path is the secret: whoever knows it can post. The group is that part. */
const WEBHOOKS = [
  /\/\/hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([^\s?#"'<>]+)/g,
  /\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/([\w-]+)/g,
  /\/\/[\w.-]+\.webhook\.office(?:365)?\.com\/webhook(?:b2)?\/([^\s?#"'<>]+)/g,
  /\/\/hooks\.zapier\.com\/hooks\/[a-z]+\/([^\s?#"'<>]+)/g,
  /\/\/hooks?(?:\.[\w-]+)*\.make\.com\/([^\s?#"'<>]+)/g,
  /\/\/maker\.ifttt\.com\/\S*?\/key\/([\w-]+)/g,
  /\/\/api\.telegram\.org\/bot(\d+:[\w-]+)/g,
];

/**
 * The secret parts of webhook addresses in a text. If the address is the whole value of a variable,
 * it is secret as a whole: that is what users copy and replace.
 */
export function webhooksIn(text: string, name: string): readonly Range[] {
  if (!text.includes("//")) return [];
  return WEBHOOKS.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ 0: all, 1: secret = "", index }): Range => {
      const isWhole = name !== "" && name !== "url" && /^https?:\/\/\S+$/.test(text);
      if (isWhole) return { start: 0, end: text.length };
      const end = index + all.length;
      return { start: end - secret.length, end };
    }),
  );
}
