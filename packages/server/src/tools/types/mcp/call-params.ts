/**
 * The parameters of `tools/call`. The protocol has no idempotency key, but clients may add fields to `_meta`.
 */
export function callParams(name: string, given: Record<string, unknown>, callId: string | undefined) {
  return {
    name,
    arguments: given,
    ...(callId !== undefined && { _meta: { 'svc/idempotency-key': callId } }),
  };
}
