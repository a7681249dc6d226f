import { expect } from "vitest";
import type { Json } from "../../support/clients/matrix-client.ts";
import type { Subject } from "../subject.ts";

/** What a server has of each kind. */
export interface Offered {
  readonly tool: readonly [name: string, args: Json];
  readonly prompt: string;
  readonly resource: string;
  readonly completes: readonly [prompt: string, argument: string];
}

/** Checks that results of every method are marked as complete. */
export async function expectComplete(subject: Subject, offered: Offered): Promise<void> {
  const { client } = subject;
  const [prompt, argument] = offered.completes;
  const results = [
    await client.request("server/discover"),
    await client.request("tools/list"),
    await subject.tool(...offered.tool),
    await client.request("prompts/list"),
    await subject.getPrompt(offered.prompt),
    await client.request("resources/list"),
    await client.request("resources/templates/list"),
    await subject.read(offered.resource),
    await client.request("completion/complete", {
      ref: { type: "ref/prompt", name: subject.promptName(prompt) },
      argument: { name: argument, value: "" },
    }),
  ];
  expect(results.map(({ resultType }) => resultType)).toEqual(results.map(() => "complete"));
}
