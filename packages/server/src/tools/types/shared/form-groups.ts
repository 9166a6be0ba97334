/** The group of the fields that decide whether a person is asked, in the form of every tool type. */
export const askFirst = 'Ask first';

/** For types whose calls ask only if the tool says so. */
export const approvalField = {
  type: 'string' as const,
  title: 'Ask first',
  enum: ['never', 'always'],
  default: 'never',
  'x-group': askFirst,
};
