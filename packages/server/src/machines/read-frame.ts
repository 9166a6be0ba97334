import { MachineFrame, protocolVersion } from '@svc/contract/machine-protocol';
import { createSchemaCompiler } from '../validation/compile-schema.ts';

/** No result needs nearly as many; parsing far more would block the process. */
const maxValues = 100_000;
const maxDepth = 64;

const validate = createSchemaCompiler({ coerce: false })(MachineFrame);

/** The frame, or what is wrong with it, which is sent to the daemon. */
export function readFrame(data: Buffer, isBinary: boolean): MachineFrame | { problem: string } {
  if (isBinary) return { problem: 'Frames are JSON text, not binary.' };
  if (!isCheapToParse(data)) return { problem: 'The frame holds too many values.' };
  let frame: unknown;
  try {
    frame = JSON.parse(data.toString());
  } catch {
    return { problem: 'The frame is not JSON.' };
  }
  const version = otherVersion(frame);
  if (version !== undefined)
    return {
      problem: `The service speaks protocol ${protocolVersion}, the daemon ${version}: update the older one.`,
    };
  if (validate(frame)) return storable(frame) as MachineFrame;
  return { problem: 'The frame is not one that this protocol has.' };
}

/** The version of a hello from a daemon that speaks another one, whose frames may look different. */
function otherVersion(frame: unknown): number | undefined {
  const { type, protocol } = (frame ?? {}) as { type?: unknown; protocol?: unknown };
  const isOther = type === 'hello' && Number.isSafeInteger(protocol) && protocol !== protocolVersion;
  return isOther ? (protocol as number) : undefined;
}

/** Output of commands can contain anything, and PostgreSQL cannot store U+0000 or half a surrogate pair. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [storableText(key), storable(inner)]),
  );
}

function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Counts values and nesting without parsing: eight megabytes of brackets take JSON.parse a second, and this a moment. */
function isCheapToParse(data: Buffer): boolean {
  let values = 0;
  let depth = 0;
  for (let index = 0; index < data.length; index += 1) {
    const byte = data[index] ?? 0;
    if (byte === quote) {
      index = endOfString(data, index);
      if (index === -1) return true;
    } else if (byte === comma) values += 1;
    else if (opening.has(byte)) {
      values += 1;
      depth += 1;
    } else if (closing.has(byte)) depth -= 1;
    if (values > maxValues || depth > maxDepth) return false;
  }
  return true;
}

/** The index of the quote that ends a string; -1 if nothing does, which JSON.parse refuses without building anything. */
function endOfString(data: Buffer, start: number): number {
  let end = start;
  for (;;) {
    end = data.indexOf(quote, end + 1);
    if (end === -1) return -1;
    let slashes = 0;
    while (data[end - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
}
