import type { ConfigurationSchema, Preset } from '../../tool-type.ts';

export const configurationSchema: ConfigurationSchema = {
  type: 'object',
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      maxLength: 253,
      description: 'The mail server (SMTP).',
    },
    port: {
      type: 'integer',
      minimum: 1,
      maximum: 65_535,
      description: '587 when left out, 465 with `secure`.',
    },
    secure: {
      type: 'boolean',
      description: 'Encrypted from the first byte; otherwise by STARTTLS. On when the port is 465.',
    },
    username: { type: 'string', minLength: 1, maxLength: 320 },
    password: { type: 'string', minLength: 1, maxLength: 1000, 'x-secret': true },
    from: {
      type: 'string',
      maxLength: 500,
      description: 'The sender: person@example.com or Person <person@example.com>.',
    },
    to: {
      type: 'string',
      maxLength: 2000,
      description: 'Recipients of every mail, separated by commas. Without it the model chooses them.',
    },
    approval: { type: 'string', enum: ['never', 'always'], description: 'Whether a person is asked first.' },
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
