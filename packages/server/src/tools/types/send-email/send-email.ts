import { compileCheck } from '../../../validation/checker.ts';
import { refuseFaults } from '../../../validation/report-together.ts';
import { defineFunction } from '../../define-function.ts';
import { functionName } from '../../function-name.ts';
import { failed, succeeded } from '../../tool-result.ts';
import type { Configuration, ConfigurationSchema, Preset, ToolType } from '../../tool-type.ts';
import { approvalField, grantsField, linkEditField } from '../shared/form-groups.ts';
import { createRedactor } from '../shared/redactor.ts';
import { deliver, type Mail, type MailServer, type OpenSocket } from './deliver.ts';
import { parseAddress, parseAddresses } from './email-addresses.ts';
import { explainFailure } from './explain-email-failure.ts';

interface Given {
  subject: string;
  text: string;
  to?: string;
}

interface EmailConfiguration extends Omit<MailServer, 'port' | 'secure'> {
  port?: number;
  secure?: boolean;
  from: string;
  to?: string;
  approval?: 'never' | 'always';
}

const withinMs = 60_000;
const maxRecipients = 20;

const message = {
  subject: { type: 'string', minLength: 1, maxLength: 500, description: 'One line.' },
  text: { type: 'string', minLength: 1, maxLength: 100_000, description: 'The mail itself, plain text.' },
};
const recipient = {
  type: 'string',
  minLength: 3,
  maxLength: 2000,
  description: 'Who gets it: one address, or several separated by commas.',
};
const strict = { type: 'object', additionalProperties: false };
const fixed = { ...strict, properties: message, required: ['subject', 'text'] };
const open = { ...strict, properties: { to: recipient, ...message }, required: ['to', 'subject', 'text'] };
const checkFixed = compileCheck<Given>(fixed);
const checkOpen = compileCheck<Given>(open);

export function createSendEmail({ openSocket }: { openSocket: OpenSocket }): ToolType {
  return {
    type: 'send_email',
    name: 'Send email',
    description: 'Sends an email through a mail server of yours.',
    configurationSchema,
    readOnly: false,
    needsNoConfiguration: false,
    presets,
    checkConfiguration,
    asks: ({ approval }) => ({ changes: approval !== 'never' }),
    async functions({ name, description, configuration }) {
      const settings = configuration as unknown as EmailConfiguration;
      return [
        defineFunction({
          name: functionName(name),
          key: 'send',
          description,
          parameters: settings.to ? fixed : open,
          approval: settings.approval ?? 'always',
          approvalTitle: `Send to ${settings.to || '{{to}}'}: {{subject}}`,
          check: settings.to ? checkFixed : checkOpen,
          describeCall: async (given) => ({ context: { kind: 'call', summary: describe(settings, given) } }),
          run: (given, { signal }) => send(settings, given, openSocket, signal),
        }),
      ];
    },
  };
}

/** What a person must know beside the arguments: the configuration decides who gets the mail, and from whom. */
function describe(settings: EmailConfiguration, given: Record<string, unknown>): string {
  const { host, port } = serverOf(settings);
  // Quoted, so that a line break of the model's cannot look like another of these lines.
  const to = settings.to || JSON.stringify(given['to']);
  return `From: ${settings.from}\nTo: ${to}\nServer: ${host}:${port}\n${JSON.stringify(given)}`;
}

async function send(
  settings: EmailConfiguration,
  { subject, text, to }: Given,
  openSocket: OpenSocket,
  signal: AbortSignal,
) {
  // A line break would start another header.
  if (/\p{Cc}/u.test(subject)) return failed('subject must be one line of plain text.');
  const from = parseAddress(settings.from);
  const recipients = parseAddresses(settings.to || (to ?? ''));
  if (!from || !recipients) return failed('to must be email addresses such as person@example.com.');
  if (recipients.length > maxRecipients) return failed(`A mail goes to at most ${maxRecipients} people.`);
  const mail: Mail = { from, to: recipients, subject, text };
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  try {
    const { messageId } = await deliver(serverOf(settings), mail, openSocket, deadline);
    const addresses = recipients.map(({ address }) => address);
    return succeeded(`The mail was handed over for ${addresses.join(', ')}.`, {
      message_id: messageId,
      to: addresses,
    });
  } catch (error) {
    signal.throwIfAborted();
    const reason = deadline.aborted ? 'The mail server did not answer in time.' : explainFailure(error);
    if (reason === undefined) throw error;
    return failed(createRedactor([settings.password]).text(reason));
  }
}

function serverOf({ host, port, secure = port === 465, username, password }: EmailConfiguration): MailServer {
  return {
    host,
    port: port ?? (secure ? 465 : 587),
    secure,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  };
}

function checkConfiguration(configuration: Configuration): void {
  const { host, from, to, username, password } = configuration as unknown as EmailConfiguration;
  refuseFaults({
    host: !/^[A-Za-z0-9.:_-]+$/.test(host) && 'must be the name or address of a server',
    from: !parseAddress(from) && 'must be an email address',
    to:
      to !== undefined && to !== '' && !parseAddresses(to) && 'must be email addresses, separated by commas',
    username: Boolean(password) && !username && 'is required with a password',
  });
}

const server = 'Mail server';
const mail = 'Mail';

const configurationSchema: ConfigurationSchema = {
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
    ...grantsField,
    ...linkEditField,
  },
  required: ['host', 'from'],
  additionalProperties: false,
};

const account = { username: 'you@example.com', from: 'you@example.com' };

const presets: Preset[] = [
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
