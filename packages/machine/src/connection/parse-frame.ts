import { operationNames, ServiceFrame } from '@svc/contract/machine-protocol';
import { Check } from 'typebox/schema';

type ParsedFrame =
  | { kind: 'frame'; frame: ServiceFrame }
  /** An operation that can be answered, but not carried out. */
  | { kind: 'refused'; id: string; fault: string }
  | { kind: 'unknown'; fault: string };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What the service sent; a newer service may send something that this daemon does not know. */
export function parseFrame(text: string): ParsedFrame {
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    return { kind: 'unknown', fault: 'the service sent something that is not JSON.' };
  }
  if (Check(ServiceFrame, sent)) return { kind: 'frame', frame: withPlainId(sent) };
  const { type, id, name } = (sent ?? {}) as Record<string, unknown>;
  if (type !== 'operation' || typeof id !== 'string' || !uuid.test(id)) {
    return { kind: 'unknown', fault: 'the service sent a frame that this version does not know.' };
  }
  const isKnown = operationNames.some((known) => known === name);
  const fault = isKnown
    ? 'The machine received a malformed operation.'
    : 'The svc-machine on this machine does not know this operation: update it.';
  return { kind: 'refused', id: id.toLowerCase(), fault };
}

/** Records are files named after ids, and some file systems ignore case. */
function withPlainId(frame: ServiceFrame): ServiceFrame {
  return frame.type === 'welcome' ? frame : { ...frame, id: frame.id.toLowerCase() };
}
