import type { Range } from "./patterns.ts";

/** Addresses that contain a secret: anyone who knows them has access. The group is that part. */
const SECRET_URLS = [
  // Webhooks.
  /\/\/hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([^\s?#"'<>]+)/g,
  /\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/([\w-]+)/g,
  /\/\/[\w.-]+\.webhook\.office(?:365)?\.com\/webhook(?:b2)?\/([^\s?#"'<>]+)/g,
  /\/\/hooks\.zapier\.com\/hooks\/[a-z]+\/([^\s?#"'<>]+)/g,
  /\/\/hooks?(?:\.[\w-]+)*\.make\.com\/([^\s?#"'<>]+)/g,
  /\/\/maker\.ifttt\.com\/\S*?\/key\/([\w-]+)/g,
  /\/\/api\.telegram\.org\/bot(\d+:[\w-]+)/g,
  // MCP servers of one user.
  /\/\/(?:mcp|actions)\.zapier\.com\/(?:api\/)?mcp\/(?:[a-z]\/)?([\w-]{16,})/g,
  /\/\/mcp\.composio\.dev\/(?:[\w-]+\/)*((?=[\w-]*\d)[\w-]{16,})/g,
  /\/\/(?:[\w-]+\.)?mcp\.pipedream\.(?:net|com)\/(?:v\d+\/)?((?=[\w-]*\d)[\w-]{16,})/g,
  /\/\/[\w.-]+\.klavis\.ai\/[^\s?#]*\?(?:[^\s#]*&)?instance_id=([\w-]+)/g,
  /\/\/(?:[\w-]+\.)*make\.com\/mcp\/(?:[\w/]*\/)?u\/([\w-]{8,})/g,
  /\/\/[\w.-]+\.n8n\.cloud\/mcp(?:-test)?\/([\w-]{16,})/g,
  /\/\/[\w.-]*activepieces\.com\/api\/v\d+\/mcp\/([\w-]{16,})/g,
  /\/\/mcp\.gumloop\.com\/[\w-]+\/([\w%-]{16,})/g,
  /\/\/mcp\.firecrawl\.dev\/([\w-]{8,})(?=\/v\d)/g,
  // Interfaces whose address has the key of an account.
  /\/\/[\w-]+\.g\.alchemy\.com\/v2\/([\w-]{16,})/g,
  /\/\/[\w.-]+\.infura\.io\/(?:ws\/)?v3\/([\w-]{16,})/g,
  /\/\/[\w.-]+\.quiknode\.pro\/([\w-]{16,})/g,
  /\/\/calendar\.google\.com\/calendar\/ical\/[^\s/]+\/private-(\w+)/g,
  /\/\/[\w-]+\.azurewebsites\.net\/[^\s?#]*\?(?:[^\s#]*&)?code=([\w%=-]+)/g,
  /\/\/api\.openweathermap\.org\/[^\s?#]*\?(?:[^\s#]*&)?appid=(\w+)/g,
  /\/\/[\w.-]+\.(?:blob|file|queue|table)\.core\.windows\.net\/[^\s?#]*\?(?:[^\s#]*&)?sig=([\w%=-]+)/g,
];

/**
 * The secret parts of such addresses in a text. If the address is the whole value of a variable, it is
 * secret as a whole: that is what users copy and replace.
 */
export function secretUrlsIn(text: string, name: string): readonly Range[] {
  if (!text.includes("//")) return [];
  return SECRET_URLS.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ 0: all, 1: secret = "", index }): Range => {
      const isWhole = name !== "" && name !== "url" && /^https?:\/\/\S+$/.test(text);
      if (isWhole) return { start: 0, end: text.length };
      const end = index + all.length;
      return { start: end - secret.length, end };
    }),
  );
}
