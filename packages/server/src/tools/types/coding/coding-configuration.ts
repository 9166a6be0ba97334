import { patternFault } from '@svc/contract/allowed-commands';
import { isUuid } from '../../../validation/is-uuid.ts';
import { refuseFaults } from '../../../validation/report-together.ts';
import type { Configuration, ConfigurationSchema, Preset } from '../../tool-type.ts';
import { askFirst, linkEditField } from '../shared/form-groups.ts';

type Approval = 'never' | 'always';

/** A configuration with its defaults; where it works is in `target.ts`. */
export interface CodingConfiguration {
  approval_reads: Approval;
  approval_writes: Approval;
  approval_commands: Approval;
  allowed_commands: string[];
}

const defaults: CodingConfiguration = {
  approval_reads: 'never',
  approval_writes: 'always',
  approval_commands: 'always',
  allowed_commands: [],
};

const approval = (field: keyof CodingConfiguration, title: string, description: string) => ({
  type: 'string',
  title,
  'x-group': askFirst,
  enum: ['never', 'always'],
  default: defaults[field],
  description,
});

const place = 'Where it works';

export const configurationSchema = {
  type: 'object',
  properties: {
    machine_id: {
      type: 'string',
      title: 'Machine',
      'x-group': place,
      'x-editor': 'machine',
      maxLength: 36,
      description:
        'The paired machine to work on. Leave it blank to let each message choose: code_machine_id.',
    },
    workdir: {
      type: 'string',
      title: 'Directory',
      'x-group': place,
      maxLength: 4096,
      description:
        'The project directory on that machine, an absolute path inside one of its roots. Leave it blank to let each message choose: code_workdir.',
    },
    approval_reads: approval(
      'approval_reads',
      'Before reading',
      'Whether a person is asked before files are listed, read or searched. Files such as .env and private keys are always asked about.',
    ),
    approval_writes: approval(
      'approval_writes',
      'Before changing files',
      'Whether a person is asked before files are changed; they see the diff.',
    ),
    approval_commands: approval(
      'approval_commands',
      'Before commands',
      'Whether a person is asked before a command runs.',
    ),
    allowed_commands: {
      type: 'array',
      title: 'Commands that need no approval',
      'x-group': askFirst,
      maxItems: 200,
      items: { type: 'string', minLength: 1, maxLength: 1000 },
      default: defaults.allowed_commands,
      description:
        'Commands that run without approval in the project directory, such as npm test or git status. A last word * allows any further words: git log *. Commands with shell syntax are never included.',
    },
    ...linkEditField,
  },
  additionalProperties: false,
} satisfies ConfigurationSchema;

export const presets: Preset[] = [
  {
    id: 'ask-before-changes',
    name: 'Ask before every change',
    configuration: { approval_reads: 'never', approval_writes: 'always', approval_commands: 'always' },
  },
  {
    id: 'run-tests-freely',
    name: 'Ask before every change, run tests freely',
    configuration: {
      approval_reads: 'never',
      approval_writes: 'always',
      approval_commands: 'always',
      allowed_commands: ['npm test', 'git status', 'git diff'],
    },
  },
  {
    id: 'edit-freely',
    name: 'Edit freely, ask before commands',
    configuration: { approval_reads: 'never', approval_writes: 'never', approval_commands: 'always' },
  },
];

/** Fills in the defaults. The configuration was checked when it was stored. */
export function readConfiguration(configuration: Configuration): CodingConfiguration {
  return { ...defaults, ...(configuration as Partial<CodingConfiguration>) };
}

/** Every command that runs unasked is a kind of its own, so that adding one is noticed. */
export function asks(configuration: Configuration): Record<string, boolean> {
  const settings = readConfiguration(configuration);
  return {
    reads: settings.approval_reads === 'always',
    changes: settings.approval_writes === 'always',
    commands: settings.approval_commands === 'always',
    ...Object.fromEntries(settings.allowed_commands.map((pattern) => [`command ${pattern}`, false])),
  };
}

/** A path from the root directory, from a drive, or on a share. */
const absolutePath = /^(\/|[A-Za-z]:[\\/]|\\\\)/;

export function checkConfiguration(configuration: Configuration): void {
  const { machine_id: machineId = '', workdir = '' } = configuration as Record<string, string>;
  const isPath = workdir === '' || (absolutePath.test(workdir) && !/\p{Cc}/u.test(workdir));
  const commands = readConfiguration(configuration).allowed_commands;
  refuseFaults({
    machine_id: machineId !== '' && !isUuid(machineId) && 'must be the id of a machine',
    workdir: !isPath && 'must be an absolute path, such as /home/ada/shop',
    ...Object.fromEntries(
      commands.map((pattern, index) => [`allowed_commands.${index}`, patternFault(pattern)]),
    ),
  });
}
