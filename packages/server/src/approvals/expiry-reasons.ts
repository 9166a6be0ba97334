/** Why an approval is no longer valid, as shown to people and models. */
export const expiryReasons = {
  late: 'Nobody answered in time.',
  overdue: 'The run reached its deadline.',
  changed: 'The tool was changed or removed after the call was proposed.',
  unverifiable: 'It can no longer be verified that the tool is unchanged.',
} as const;

export type ExpiryReason = (typeof expiryReasons)[keyof typeof expiryReasons];

/** Nobody denied such a call: only its tool has changed, so the model may propose it again. */
export function isToolChange(reason: string | null): boolean {
  return reason === expiryReasons.changed || reason === expiryReasons.unverifiable;
}
