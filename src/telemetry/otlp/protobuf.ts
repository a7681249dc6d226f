/**
 * Writes objects in the binary format of protocol buffers, by tables of their fields. It knows what
 * OTLP needs; a library for all of the format would be larger than everything else here.
 */

export type ScalarType =
  | "string"
  /** Bytes, in the object as hexadecimal digits. */
  | "hex"
  | "bool"
  | "double"
  /** 64-bit integers, in the object as decimal strings. */
  | "fixed64"
  | "sfixed64"
  | "int64"
  /** A number that is written as a varint: an enum. */
  | "enum";

/** The field number, and what the field contains; a list is a repeated field. */
export type Field = readonly [number: number, type: ScalarType | Message];

/** The fields of a message by their names in JSON. */
export interface Message {
  readonly [name: string]: Field;
}

const VARINT = 0;
const BITS_64 = 1;
const LENGTH = 2;

const WIRE_TYPES: Readonly<Record<ScalarType, number>> = {
  string: LENGTH,
  hex: LENGTH,
  bool: VARINT,
  double: BITS_64,
  fixed64: BITS_64,
  sfixed64: BITS_64,
  int64: VARINT,
  enum: VARINT,
};

export function encodeMessage(value: object, message: Message): Buffer {
  const writer = new Writer();
  writeMessage(writer, value, message);
  return writer.finish();
}

function writeMessage(writer: Writer, value: object, message: Message): void {
  for (const name in value) {
    const content = (value as Readonly<Record<string, unknown>>)[name];
    const field = message[name];
    if (field === undefined) throw new Error(`no field '${name}'`);
    if (content !== undefined) writeField(writer, field, content);
  }
}

function writeField(writer: Writer, [number, type]: Field, content: unknown): void {
  if (!Array.isArray(content)) writeOne(writer, number, type, content);
  else if (typeof type === "string" && type !== "string")
    // Numbers are packed into one field.
    writer.sized(number, () => {
      for (const value of content) writeScalar(writer, type, value);
    });
  else for (const value of content) writeOne(writer, number, type, value);
}

function writeOne(
  writer: Writer,
  number: number,
  type: ScalarType | Message,
  value: unknown,
): void {
  if (typeof type === "object")
    writer.sized(number, () => writeMessage(writer, value as object, type));
  else {
    writer.varint((number << 3) | WIRE_TYPES[type]);
    writeScalar(writer, type, value);
  }
}

function writeScalar(writer: Writer, type: ScalarType, value: unknown): void {
  switch (type) {
    case "string":
      return writer.text(value as string, "utf8");
    case "hex":
      return writer.text(value as string, "hex");
    case "bool":
      return writer.varint(value === true ? 1 : 0);
    case "enum":
      return writer.varint(value as number);
    case "double":
      return writer.double(value as number);
    case "fixed64":
    case "sfixed64":
      return writer.fixed64(BigInt(value as string));
    case "int64":
      return writer.bigVarint(BigInt(value as string));
  }
}

const START_BYTES = 16 * 1024;

/** A buffer that grows. */
class Writer {
  #buffer = Buffer.allocUnsafe(START_BYTES);
  #at = 0;

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  varint(value: number): void {
    this.#reserve(5);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.#buffer[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#at++] = rest;
  }

  bigVarint(value: bigint): void {
    this.#reserve(10);
    let rest = BigInt.asUintN(64, value);
    while (rest > 0x7fn) {
      this.#buffer[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#buffer[this.#at++] = Number(rest);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  fixed64(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeBigUInt64LE(BigInt.asUintN(64, value), this.#at);
  }

  text(value: string, encoding: "utf8" | "hex"): void {
    if (encoding === "utf8" && this.#shortText(value)) return;
    const bytes = Buffer.byteLength(value, encoding);
    this.varint(bytes);
    this.#reserve(bytes);
    this.#at += this.#buffer.write(value, this.#at, encoding);
  }

  /** Writes a short text of ASCII characters, as nearly all are; false if it is not one. */
  #shortText(value: string): boolean {
    const { length } = value;
    if (length > 0x7f) return false;
    this.#reserve(length + 1);
    const start = this.#at + 1;
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return false;
      this.#buffer[start + i] = code;
    }
    this.#buffer[this.#at] = length;
    this.#at = start + length;
    return true;
  }

  /** A field whose length is known only after it has been written. */
  sized(number: number, write: () => void): void {
    this.varint((number << 3) | LENGTH);
    const start = this.#at;
    this.#reserve(1);
    this.#at++;
    write();
    const end = this.#at;
    const length = end - start - 1;
    const more = varintBytes(length) - 1;
    this.#reserve(more);
    if (more > 0) this.#buffer.copyWithin(start + 1 + more, start + 1, end);
    this.#at = start;
    this.varint(length);
    this.#at = end + more;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes++;
  return bytes;
}
