import { directTo } from "../place.ts";
import { EraClient } from "../../support/clients/era-client.ts";
import { type Json } from "../../support/clients/matrix-client.ts";
import { SHARED, Subject } from "../subject.ts";

export interface Reference {
  readonly serverInfo: Json | undefined;
  readonly capabilities: Json;
  readonly instructions: string | undefined;
  readonly tools: readonly Json[];
  readonly prompts: readonly Json[];
  readonly resources: readonly Json[];
  readonly templates: readonly Json[];
}

let reference: Promise<Reference> | undefined;

/** How server-everything describes itself to a directly connected client. */
export function referenceOfEverything(): Promise<Reference> {
  reference ??= ask();
  return reference;
}

async function ask(): Promise<Reference> {
  const column = { server: "everything", mode: "direct", transport: "stdio" } as const;
  const client = await EraClient.connect(directTo(column.server), "legacy");
  const subject = new Subject(client, column, SHARED);
  try {
    return {
      ...client.hello,
      // Some tools appear once the server knows the capabilities of its client.
      tools: await subject.tools(),
      prompts: await subject.prompts(),
      resources: await subject.resources(),
      templates: await subject.templates(),
    };
  } finally {
    await client.close();
  }
}
