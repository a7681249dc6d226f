import type { Connection } from "./connection.ts";
import type { Subject } from "./subjects.ts";
import type { Setup, Workspace } from "./workspace.ts";

/** How long a phase may take, and how much of it is done. */
export interface Effort {
  readonly rounds: number;
  /** The share of the calls of a full run. */
  readonly scale: number;
}

export function share(calls: number, { scale }: Effort): number {
  return Math.max(2, Math.round(calls * scale));
}

/** Opens every subject, and closes all that were opened whatever happens. */
export async function withOpen<T>(
  workspace: Workspace,
  subjects: Readonly<Record<string, readonly [Subject, Setup]>>,
  work: (connections: ReadonlyMap<string, Connection>) => Promise<T>,
): Promise<T> {
  const connections = new Map<string, Connection>();
  try {
    for (const [name, [open, setup]] of Object.entries(subjects))
      connections.set(name, await open(workspace, setup));
    return await work(connections);
  } finally {
    await Promise.all([...connections.values()].map((connection) => connection.close()));
  }
}

/**
 * Goes through all names in every round, starting with a different one each time, so that none
 * always follows the same other one.
 */
export async function interleave<K>(
  rounds: number,
  names: readonly K[],
  work: (name: K, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < names.length; i++)
      await work(names[(i + round) % names.length] as K, round);
}
