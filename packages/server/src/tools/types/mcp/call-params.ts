/**
 * The parameters of `tools/call`. The protocol has no field of its own for a key by which a server can recognise a repeat, but
 * clients may add to `_meta`.
 */
export function callParams(name: string, given: Record<string, unknown>, callId: string | undefined) {
  return {
    name,
    arguments: given,
    ...(callId !== undefined && { _meta: { 'svc/idempotency-key': callId } }),
  };
}
