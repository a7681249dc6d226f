import type { Random } from "./random.ts";

const BYTES = [0x00, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x5c, 0x7b, 0x7d, 0x80, 0xc3, 0xf0, 0xff];
const PIECES = [
  "\ufeff",
  "\u2028",
  '"id":1,',
  "[",
  "]]",
  "{}",
  "\\u0000",
  "1e400",
  '"__proto__":{},',
];

/** Damages a message here and there. */
export function mutate(random: Random, original: Buffer): Buffer {
  let bytes = original;
  for (let i = random.int(4); i >= 0; i--) bytes = once(random, bytes);
  return bytes;
}

function once(random: Random, bytes: Buffer): Buffer {
  const at = random.int(bytes.length + 1);
  const to = Math.min(bytes.length, at + random.int(20));
  const [before, piece, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, to),
    bytes.subarray(to),
  ];
  switch (random.int(7)) {
    case 0:
      return Buffer.concat([before, Buffer.of(random.pick(BYTES)), piece, after]);
    case 1:
      return Buffer.concat([before, Buffer.of(random.int(256)), piece.subarray(1), after]);
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, piece, piece, after]);
    case 4:
      return Buffer.concat([before, Buffer.from(random.pick(PIECES)), piece, after]);
    case 5:
      return before;
    default:
      return Buffer.concat([before, Buffer.from("[".repeat(random.int(300))), piece, after]);
  }
}
