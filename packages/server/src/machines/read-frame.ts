import { MachineFrame, maxFrameValues, protocolVersion } from '@svc/contract/machine-protocol';
import { createSchemaCompiler } from '../validation/compile-schema.ts';

const maxDepth = 64;

const validate = createSchemaCompiler({ coerce: false })(MachineFrame);

/** The frame, or what is wrong with it, which is sent to the daemon. */
export function readFrame(data: Buffer, isBinary: boolean): MachineFrame | { problem: string } {
  if (isBinary) return { problem: 'Frames are JSON text, not binary.' };
  if (!isCheapToParse(data)) return { problem: 'The frame holds too many values.' };
  const text = data.toString();
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return { problem: 'The frame is not JSON.' };
  }
  const version = otherVersion(frame);
  if (version !== undefined)
    return {
      problem: `The service speaks protocol ${protocolVersion}, the daemon ${version}: update the older one.`,
    };
  if (validate(frame)) return (suspectEscape.test(text) ? storable(frame) : frame) as MachineFrame;
  return { problem: 'The frame is not one that this protocol has.' };
}

/** The version of a hello from a daemon that speaks another one, whose frames may look different. */
function otherVersion(frame: unknown): number | undefined {
  const { type, protocol } = (frame ?? {}) as { type?: unknown; protocol?: unknown };
  const isOther = type === 'hello' && Number.isSafeInteger(protocol) && protocol !== protocolVersion;
  return isOther ? (protocol as number) : undefined;
}

/** Escapes of what PostgreSQL cannot store: U+0000 and halves of surrogate pairs. Whole pairs match too. */
const suspectEscape = /\\u(?:0000|d[89a-f])/i;

/** Output of commands can contain anything. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storable(key), storable(inner)]));
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Counts values and nesting without parsing: eight megabytes of brackets take JSON.parse a second, and this a moment. */
function isCheapToParse(data: Buffer): boolean {
  let values = 0;
  let depth = 0;
  let isText = false;
  for (let index = 0; index < data.length; index += 1) {
    const byte = data[index];
    if (isText) {
      if (byte === backslash) index += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === closingBracket || byte === closingBrace) depth -= 1;
    else if (byte === comma || byte === openingBracket || byte === openingBrace) {
      values += 1;
      if (byte !== comma) depth += 1;
      if (values > maxFrameValues || depth > maxDepth) return false;
    }
  }
  return true;
}
