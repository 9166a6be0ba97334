import type { Configuration, ToolType } from '../../tool-type.ts';
import { checkConfiguration } from './check-configuration.ts';
import { configurationSchema, onlyReads, readConfiguration } from './http-configuration.ts';
import { presets } from './presets.ts';

/** The type without the code that runs it. */
export const httpRequestDescription = {
  type: 'http_request',
  name: 'HTTP request',
  description: 'Calls an HTTP API with parameters that the model fills in.',
  configurationSchema,
  readOnly: false,
  needsNoConfiguration: false,
  presets,
  checkConfiguration,
  asks(configuration: Configuration) {
    const read = readConfiguration(configuration);
    return { [onlyReads(read) ? 'reads' : 'changes']: read.approval === 'always' };
  },
  tokenRequest(configuration: Configuration) {
    const { auth_type, oauth_token_url, oauth_client_id, oauth_scope } = readConfiguration(configuration);
    if (auth_type !== 'oauth2_client_credentials') return undefined;
    return { oauth_token_url, oauth_client_id, oauth_scope };
  },
} satisfies Omit<ToolType, 'functions'>;
