import * as z from "zod";
import { milliseconds } from "./limits-schema.ts";

/** The setting `cluster`. A text that still contains `${` is reported by the command that needs it. */
export const clusterSchema = z
  .strictObject({
    redis: z
      .string()
      .regex(
        /^[Rr][Ee][Dd][Ii][Ss][Ss]?:\/\/[^\s]+$|\$\{/,
        "is not the address of Redis. Write for example redis://redis.example.com:6379",
      )
      .describe(
        "Address of Redis or a compatible server, such as `redis://user:password@host:6379/0`, or `rediss://` with TLS.",
      ),
    advertise: z
      .string()
      .regex(
        /^[Hh][Tt][Tt][Pp][Ss]?:\/\/(?:[^\s/?#@:[\]]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$|\$\{/,
        "is not an address without a path. Write for example http://10.0.0.7:7333",
      )
      .describe(
        "Address without a path at which the other replicas reach this one, such as `http://${POD_IP}:7333`.",
      ),
    keys: z
      .array(
        z
          .string()
          .regex(
            /^[A-Za-z\d+/]{42}[AEIMQUYcgkosw048]=$|\$\{/,
            "is not a key of 32 bytes in base64. Make one with: openssl rand -base64 32",
          ),
      )
      .min(1)
      .describe(
        "Keys of 32 bytes in base64, the same for all replicas: `openssl rand -base64 32` makes one. The first seals, all open, so that a key can be replaced without a stop.",
      ),
    name: z
      .string()
      .regex(
        /^[A-Za-z\d._-]{1,64}$/,
        "is not a valid name. Use up to 64 letters, digits, '_', '-' and '.'",
      )
      .default("workbench")
      .describe("Distinguishes clusters that use the same Redis."),
    drainMs: milliseconds(0)
      .default(30_000)
      .describe("How long calls may continue after SIGTERM before the replica ends."),
  })
  .describe(
    "Several workbenches behind a load balancer that serve the same clients, with `serve --http`.",
  );
