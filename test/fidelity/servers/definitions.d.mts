interface Json {
  readonly [member: string]: unknown;
}
interface Named extends Json {
  readonly name: string;
}

export const TINY_PNG: string;
export const ICONS: readonly Json[];
export const SERVER_INFO: Named;
export const INSTRUCTIONS: string;
export const RICH_TOOL: Named;
export const TOOLS: readonly Named[];
export const TASK_TOOL: Named;
export const EXOTIC_TOOL: Named;
export const EXTRA_TOOL: Named;
export const PAGE_URI: string;
export const SKILL: Json & { readonly uri: string; readonly resources: readonly [Json] };
export const PROMPTS: readonly Named[];
export const EXTRA_PROMPT: Named;
export const RESOURCES: readonly (Named & { readonly uri: string })[];
export const EXTRA_RESOURCE: Named & { readonly uri: string };
export const RESOURCE_TEMPLATES: readonly (Named & { readonly uriTemplate: string })[];
export const CONTENTS: Readonly<Record<string, Json>>;
export const BLOCKS: readonly Json[];
export const UNKNOWN_BLOCK: Json;
export const RESULT_META: Json;
export const RPC_ERROR: { readonly code: number; readonly message: string; readonly data: Json };
export const STRUCTURED: Json;
export type QuestionName = "form" | "url" | "sampling" | "roots";
export const QUESTIONS: Readonly<
  Record<QuestionName, { readonly method: string; readonly params: Json }>
>;
export const LANGUAGES: readonly string[];
export const PAGE_SIZE: number;
export const CACHE_HINTS: { readonly ttlMs: number; readonly cacheScope: string };
