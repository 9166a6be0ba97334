/** Why an approval holds no longer, in words for whoever answers it and for readers. */
export const expiryReasons = {
  late: 'Nobody answered in time.',
  overdue: 'The run reached its deadline.',
  changed: 'The tool was changed or removed after the call was proposed.',
  unverifiable: 'It can no longer be verified that the tool is unchanged.',
} as const;

export type ExpiryReason = (typeof expiryReasons)[keyof typeof expiryReasons];

/** Nothing was said against such a call: it could not be kept as it was, and may be proposed again as it is now. */
export function isToolChange(reason: string | null): boolean {
  return reason === expiryReasons.changed || reason === expiryReasons.unverifiable;
}
