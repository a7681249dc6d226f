import type { FidelityClient, Interest } from "./matrix-client.ts";

/** How a legacy client subscribes to changes: list changes need no subscription. */
export async function subscribeAll(
  request: FidelityClient["request"],
  { resourceSubscriptions = [] }: Interest,
): Promise<() => Promise<void>> {
  for (const uri of resourceSubscriptions) await request("resources/subscribe", { uri });
  return async () => {
    for (const uri of resourceSubscriptions) await request("resources/unsubscribe", { uri });
  };
}
