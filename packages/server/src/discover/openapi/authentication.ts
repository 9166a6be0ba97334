import { isObject } from '../../validation/json-schema/check.ts';
import { type JsonObject, listOf, type Resolve, textOf } from './document.ts';

export interface Authentication {
  /** Fields of an `http_request`, without secrets, which its owner fills in. */
  fields: JsonObject;
  notes: string[];
}

interface Scheme {
  name: string;
  authentication: Authentication | undefined;
}

/** The first of the document's authentication schemes that a tool supports. */
export function authenticationOf(
  operation: JsonObject,
  document: JsonObject,
  resolve: Resolve,
  serverUrl: string,
): Authentication {
  const components = resolve(document['components']) ?? {};
  const schemes = resolve(components['securitySchemes']) ?? {};
  const alternatives = listOf(operation['security'] ?? document['security'])
    .filter(isObject)
    .map((alternative) =>
      Object.entries(alternative).map(([name, scopes]): Scheme => {
        const scheme = Object.hasOwn(schemes, name) ? resolve(schemes[name]) : undefined;
        return { name, authentication: scheme && ofScheme(scheme, listOf(scopes), serverUrl) };
      }),
    );
  const whole = alternatives.find(([first, ...more]) => first?.authentication && more.length === 0);
  if (whole?.[0]?.authentication) return whole[0].authentication;
  if (alternatives.length === 0 || alternatives.some((alternative) => alternative.length === 0)) return none;
  const partly = alternatives.find((alternative) => alternative.some((scheme) => scheme.authentication));
  const used = partly?.find((scheme) => scheme.authentication);
  const left = (partly ?? alternatives[0] ?? []).filter((scheme) => scheme !== used).map(({ name }) => name);
  return {
    fields: used?.authentication?.fields ?? {},
    notes: [
      ...(used?.authentication?.notes ?? []),
      `The authentication ${left.join(' and ')} cannot be drafted: add it by hand.`,
    ],
  };
}

const none: Authentication = { fields: {}, notes: [] };

function ofScheme(scheme: JsonObject, scopes: unknown[], serverUrl: string): Authentication | undefined {
  switch (scheme['type']) {
    case 'http': {
      const kind = textOf(scheme['scheme']).toLowerCase();
      return kind === 'bearer' || kind === 'basic' ? { fields: { auth_type: kind }, notes: [] } : undefined;
    }
    case 'apiKey':
      return scheme['in'] === 'header' && textOf(scheme['name'])
        ? { fields: { auth_type: 'header', header_name: textOf(scheme['name']) }, notes: [] }
        : undefined;
    case 'oauth2':
      return ofOAuth(scheme, scopes, serverUrl);
    case 'openIdConnect':
      return asBearer('OpenID Connect');
    default:
      return undefined;
  }
}

function ofOAuth({ flows }: JsonObject, scopes: unknown[], serverUrl: string): Authentication {
  const flow = isObject(flows) ? flows['clientCredentials'] : undefined;
  const tokenUrl = isObject(flow) ? URL.parse(textOf(flow['tokenUrl']), `${serverUrl}/`) : null;
  if (!tokenUrl) return asBearer('OAuth 2 with a person who signs in');
  const scope = scopes.filter((one) => typeof one === 'string').join(' ');
  const fields = { auth_type: 'oauth2_client_credentials', oauth_token_url: tokenUrl.href };
  return { fields: { ...fields, ...(scope && { oauth_scope: scope }) }, notes: [] };
}

/** A tool can send such a token but cannot obtain it. */
function asBearer(what: string): Authentication {
  const note = `The API uses ${what}: get an access token and fill it in as bearer_token.`;
  return { fields: { auth_type: 'bearer' }, notes: [note] };
}
