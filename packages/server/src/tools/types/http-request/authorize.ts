import type { ConfiguredTool } from '../../tool-type.ts';
import type { ClientCredentials } from './fetch-token.ts';
import { basicCredentials } from './fetch-token.ts';
import type { HttpRequestConfiguration } from './http-configuration.ts';
import type { OAuthTokens } from './oauth-tokens.ts';

export interface Authorization {
  /** Added to the request. */
  headers: Record<string, string>;
  /** The parts that must never be shown. */
  secrets: string[];
  /** The token that was used. It may have expired; forgetting it makes the next call get another. */
  forget?: () => void;
}

/** Makes the authentication headers. The secrets are for the tool's own origin: redirects lose them. */
export async function authorize(
  tool: ConfiguredTool,
  configuration: HttpRequestConfiguration,
  tokens: OAuthTokens,
  signal: AbortSignal,
): Promise<Authorization> {
  switch (configuration.auth_type) {
    case 'none':
      return { headers: {}, secrets: [] };
    case 'bearer': {
      const token = configuration.bearer_token ?? '';
      return { headers: { authorization: `Bearer ${token}` }, secrets: [token] };
    }
    case 'basic': {
      const pair = `${configuration.basic_username ?? ''}:${configuration.basic_password ?? ''}`;
      const encoded = Buffer.from(pair).toString('base64');
      return { headers: { authorization: `Basic ${encoded}` }, secrets: [encoded] };
    }
    case 'header': {
      const value = configuration.header_value ?? '';
      return { headers: { [(configuration.header_name ?? '').toLowerCase()]: value }, secrets: [value] };
    }
    case 'oauth2_client_credentials': {
      const credentials = credentialsOf(configuration);
      const owner = `${tool.workspaceId} ${tool.id ?? ''}`;
      const token = await tokens.get(owner, credentials, signal);
      return {
        headers: { authorization: `Bearer ${token}` },
        secrets: [token],
        forget: () => tokens.forget(owner, credentials, token),
      };
    }
  }
}

/** All secrets of a configuration, whichever authentication is in use now. */
export function secretsOf(configuration: HttpRequestConfiguration): string[] {
  const { bearer_token, basic_password, header_value, oauth_client_secret, oauth_client_id } = configuration;
  const pair = oauth_client_secret && basicCredentials(oauth_client_id ?? '', oauth_client_secret);
  return [bearer_token, basic_password, header_value, oauth_client_secret, pair].filter(
    (secret) => secret !== undefined,
  );
}

function credentialsOf(configuration: HttpRequestConfiguration): ClientCredentials {
  return {
    tokenUrl: configuration.oauth_token_url ?? '',
    clientId: configuration.oauth_client_id ?? '',
    clientSecret: configuration.oauth_client_secret ?? '',
    scope: configuration.oauth_scope,
  };
}
