import { createAllowList } from '../../../egress/allow-list.ts';
import { destinationOf } from '../../../egress/destination.ts';
import type { GuardedLane } from '../../../egress/guarded-lane.ts';
import { invalid } from '../../../lib/app-error.ts';
import { createPageReader } from '../../../pages/page-reader.ts';
import { compileCheck } from '../../../validation/checker.ts';
import { defineFunction } from '../../define-function.ts';
import type { Configuration, ConfigurationSchema, ToolType } from '../../tool-type.ts';
import { approvalField, linkEditField } from '../shared/form-groups.ts';
import { fetchPage } from './fetch-tool-page.ts';

interface WebFetchConfiguration {
  allowed_hosts?: string[] | null;
  approval?: 'never' | 'always' | null;
}

const configurationSchema = {
  type: 'object',
  properties: {
    allowed_hosts: {
      type: 'array',
      title: 'Allowed hosts',
      'x-group': 'Pages',
      items: { type: 'string', minLength: 1, maxLength: 255 },
      maxItems: 200,
      description: 'Hosts or *.host that may be read; empty: every public one.',
    },
    approval: approvalField({ default: 'never', description: 'Whether a person is asked before each page.' }),
    ...linkEditField,
  },
  additionalProperties: false,
} satisfies ConfigurationSchema;

const parameters = {
  type: 'object',
  properties: {
    url: { type: 'string', minLength: 1, maxLength: 4000, description: 'A complete http or https address.' },
  },
  required: ['url'],
  additionalProperties: false,
};

/** A tool that reads web pages. */
export function createWebFetchType({ lane }: { lane: GuardedLane }): ToolType {
  const reader = createPageReader();
  const check = compileCheck<{ url: string }>(parameters);
  return {
    type: 'web_fetch',
    name: 'Read web pages',
    description: 'Fetches a page of the web and gives its readable text.',
    configurationSchema,
    readOnly: true,
    asks: ({ approval }) => ({ reads: approval === 'always' }),
    needsNoConfiguration: true,
    presets: [],
    checkConfiguration,
    async functions({ configuration }) {
      const { allowed_hosts: hosts, approval } = configuration as WebFetchConfiguration;
      const mayVisit = hosts && hosts.length > 0 ? hostFilter(hosts) : undefined;
      return [
        defineFunction<{ url: string }>({
          name: 'web_fetch',
          description: 'Fetches a web page or a text file and gives its readable text.',
          parameters,
          approval: approval ?? 'never',
          check,
          describeCall: async ({ url }) => ({ context: { kind: 'call', summary: `GET ${String(url)}` } }),
          run: ({ url }, { signal }) => fetchPage({ url, lane, reader, mayVisit, signal }),
        }),
      ];
    },
  };
}

/** Narrows the guarded lane, redirects included; what is not public stays out of reach anyway. */
function hostFilter(hosts: string[]): (url: URL) => boolean {
  const list = createAllowList(hosts);
  return (url) => {
    const { host, port, literal } = destinationOf(url);
    return list.allowsHost(host, port) || (literal !== undefined && list.allowsAddress(literal, port));
  };
}

function checkConfiguration(configuration: Configuration): void {
  const { allowed_hosts: hosts } = configuration as WebFetchConfiguration;
  for (const [index, host] of (hosts ?? []).entries()) {
    try {
      createAllowList([host]);
    } catch {
      throw invalid(`allowed_hosts.${index}`, 'is not a host such as example.com or *.example.com');
    }
  }
}
