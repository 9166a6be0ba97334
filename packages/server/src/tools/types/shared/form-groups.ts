import type { Configuration } from '../../tool-type.ts';

/** The group of the fields that decide whether a person is asked, in the form of every tool type. */
export const askFirst = 'Ask first';

/** Whether a person is asked before each call. The default is that of the type. */
export const approvalField = (options: { default?: 'never' | 'always'; description: string }) => ({
  type: 'string' as const,
  title: 'Ask first',
  enum: ['never', 'always'],
  'x-group': askFirst,
  ...options,
});

/** For every type whose calls can ask. */
export const linkEditField = {
  approval_link_edit: {
    type: 'boolean' as const,
    title: 'The link of a notice can change the arguments',
    'x-group': askFirst,
    'x-rare': true as const,
    default: false,
    description:
      'Whether people with the link of an approval notice can change the arguments without signing in. Otherwise they approve or deny what they see.',
  },
};

/** For types whose calls are all of one kind to the person who approves them. */
export const grantsField = {
  approval_grants: {
    type: 'boolean' as const,
    title: 'People can allow the next calls too',
    'x-group': askFirst,
    'x-rare': true as const,
    default: false,
    description:
      'Whether a person who approves a call can also allow all further calls of this tool by the bot, for an hour or until it is revoked.',
  },
};

export function mayBeGranted(configuration: Configuration): boolean {
  return configuration['approval_grants'] === true;
}

export function mayEditByLink(configuration: Configuration): boolean {
  return configuration['approval_link_edit'] === true;
}

/** For types whose calls go to a server that the operator has chosen, and nothing else keeps their arguments. */
export const keypadField = {
  keypad_input: {
    type: 'boolean' as const,
    title: 'Gets what callers enter on the keypad',
    'x-rare': true as const,
    default: false,
    description:
      'Whether a placeholder such as `[keypad:1]` is replaced by what the caller entered. Otherwise the tool gets the placeholder.',
  },
};

export function takesKeypadInput(configuration: Configuration): boolean {
  return configuration['keypad_input'] === true;
}
