import { fuzz, keep } from "./run.ts";

/**
 * The failure when this many damaged messages are fed to the program, and how to repeat it;
 * undefined if there is none. The message that breaks a rule is kept for later runs.
 */
export async function breakage(inputs: number, seed: number): Promise<string | undefined> {
  const failure = await fuzz({ inputs, seed });
  if (failure === undefined) return undefined;
  const again = `npm run fuzz -- --inputs ${inputs} --seed ${seed}`;
  return `${failure.target}: ${failure.reason}\nkept in ${keep(failure)}, repeat with ${again}`;
}
