import type { ClientKind, Endpoint, FidelityClient } from "./matrix-client.ts";
import { EraClient } from "./era-client.ts";
import { connectSdkV1 } from "./sdk-v1.ts";
import { connectSdkV2 } from "./sdk-v2.ts";

export function connect(kind: ClientKind, endpoint: Endpoint): Promise<FidelityClient> {
  switch (kind) {
    case "sdk-v1":
      return connectSdkV1(endpoint);
    case "sdk-v2-legacy":
      return connectSdkV2(endpoint, "legacy");
    case "sdk-v2-modern":
      return connectSdkV2(endpoint, "modern");
    case "raw-legacy":
      return EraClient.connect(endpoint, "legacy");
    case "raw-modern":
      return EraClient.connect(endpoint, "modern");
  }
}
