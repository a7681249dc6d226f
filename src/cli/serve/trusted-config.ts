import type { FoundConfig } from "../../config/load.ts";
import { findTrusted } from "../core/consent.ts";
import { Output } from "../output/output.ts";
import { Prompt } from "../output/prompt.ts";

/** The configuration to serve. Standard input is free here, so the user can be asked in a terminal. */
export async function trustedConfig(file: string | undefined): Promise<FoundConfig> {
  const { env } = process;
  const out = new Output({ json: false, colours: true, env });
  const prompt = new Prompt(out, new AbortController().signal);
  try {
    return await findTrusted({ env, cwd: process.cwd(), out, prompt }, file);
  } finally {
    prompt.close();
  }
}
