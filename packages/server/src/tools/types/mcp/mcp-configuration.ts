import { invalid } from '../../../lib/app-error.ts';
import type { Configuration, ConfigurationSchema, Preset } from '../../tool-type.ts';
import { approvalField, grantsField, keypadField, linkEditField } from '../shared/form-groups.ts';

export interface McpConfiguration {
  url: string;
  authorization?: string;
  allowed_tools?: string[];
  approval?: 'never' | 'always';
}

const server = 'Server';

export const configurationSchema: ConfigurationSchema = {
  type: 'object',
  properties: {
    url: {
      type: 'string',
      title: 'URL',
      'x-group': server,
      format: 'http-url',
      maxLength: 2000,
      description: 'The address of the MCP server (streamable HTTP).',
    },
    authorization: {
      type: 'string',
      title: 'Authorization',
      'x-group': server,
      minLength: 1,
      maxLength: 4000,
      'x-secret': true,
      description: 'What the Authorization header carries; a bare token is sent as `Bearer`.',
    },
    allowed_tools: {
      type: 'array',
      title: 'Allowed tools',
      'x-group': server,
      maxItems: 200,
      items: { type: 'string', minLength: 1, maxLength: 200 },
      description: "The server's tools that the bot may use; all of them when empty or left out.",
    },
    ...keypadField,
    approval: approvalField({
      description:
        'Whether a person is asked before each call. Left out: always, except for tools that the server marks as read-only.',
    }),
    ...grantsField,
    ...linkEditField,
  },
  required: ['url'],
  additionalProperties: false,
};

export const presets: Preset[] = [
  { id: 'github', name: 'GitHub', configuration: { url: 'https://api.githubcopilot.com/mcp/' } },
  { id: 'linear', name: 'Linear', configuration: { url: 'https://mcp.linear.app/mcp' } },
  { id: 'context7', name: 'Context7', configuration: { url: 'https://mcp.context7.com/mcp' } },
];

/** The header's value, and the parts of it that must never be seen. */
export function authorizationOf({ authorization }: McpConfiguration) {
  if (authorization === undefined) return { header: undefined, secrets: [] };
  const [, token] = /^\S+\s+(.+)$/.exec(authorization) ?? [];
  if (token === undefined) return { header: `Bearer ${authorization}`, secrets: [authorization] };
  return { header: authorization, secrets: [authorization, token] };
}

export function checkConfiguration({ authorization = '' }: Configuration): void {
  // The library that would refuse it repeats it in its message.
  const fits = typeof authorization === 'string' && /^[\x20-\x7e]*$/.test(authorization);
  if (!fits) throw invalid('authorization', 'must be what a header of HTTP can carry');
}
