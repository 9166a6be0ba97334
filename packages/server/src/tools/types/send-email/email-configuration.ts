import type { ConfigurationSchema, Preset } from '../../tool-type.ts';
import { approvalField, linkEditField } from '../shared/form-groups.ts';

const server = 'Mail server';
const mail = 'Mail';

export const configurationSchema: ConfigurationSchema = {
  type: 'object',
  properties: {
    host: {
      type: 'string',
      title: 'Server',
      'x-group': server,
      minLength: 1,
      maxLength: 253,
      description: 'The mail server (SMTP).',
    },
    port: {
      type: 'integer',
      title: 'Port',
      'x-group': server,
      minimum: 1,
      maximum: 65_535,
      description: '587 when left out, 465 with `secure`.',
    },
    secure: {
      type: 'boolean',
      title: 'Encrypted from the start',
      'x-group': server,
      description: 'Encrypted from the first byte; otherwise by STARTTLS. On when the port is 465.',
    },
    username: { type: 'string', title: 'User name', minLength: 1, maxLength: 320, 'x-group': server },
    password: {
      type: 'string',
      title: 'Password',
      minLength: 1,
      maxLength: 1000,
      'x-secret': true,
      'x-group': server,
    },
    from: {
      type: 'string',
      title: 'From',
      'x-group': mail,
      maxLength: 500,
      description: 'The sender: person@example.com or Person <person@example.com>.',
    },
    to: {
      type: 'string',
      title: 'To',
      'x-group': mail,
      maxLength: 2000,
      description: 'Recipients of every mail, separated by commas. Without it the model chooses them.',
    },
    approval: approvalField({
      default: 'always',
      description: 'Whether a person is asked before each mail.',
    }),
    ...linkEditField,
  },
  required: ['host', 'from'],
  additionalProperties: false,
};

const account = { username: 'you@example.com', from: 'you@example.com' };

export const presets: Preset[] = [
  {
    id: 'gmail',
    name: 'Gmail',
    configuration: { host: 'smtp.gmail.com', port: 465, secure: true, ...account },
  },
  {
    id: 'outlook',
    name: 'Microsoft 365',
    configuration: { host: 'smtp.office365.com', port: 587, secure: false, ...account },
  },
];
