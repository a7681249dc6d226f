/** `partial_success`, and in it the number of rejected items, as protobuf writes them. */
const PARTIAL_SUCCESS = 0x0a;
const REJECTED = 0x08;

/** How many items a collector did not accept, of those in a request that it accepted. */
export function rejectedIn(body: Buffer): number {
  if (body[0] === PARTIAL_SUCCESS) return rejectedInProtobuf(body);
  const found = /"rejected(?:Spans|DataPoints)"\s*:\s*"?(\d{1,9})/.exec(body.toString("latin1"));
  return Number(found?.[1] ?? 0);
}

/** A field of a field: its length is one or two bytes, then comes the number. */
function rejectedInProtobuf(body: Buffer): number {
  let at = 1;
  while ((body[at] ?? 0) > 0x7f) at++;
  if (body[at + 1] !== REJECTED) return 0;
  let value = 0;
  let shift = 1;
  for (let i = at + 2; i < body.length && i < at + 7; i++) {
    const byte = body[i] as number;
    value += (byte & 0x7f) * shift;
    if (byte <= 0x7f) return value;
    shift *= 0x80;
  }
  return 0;
}
