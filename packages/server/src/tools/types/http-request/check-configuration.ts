import { placeholdersIn, withoutPlaceholders } from '@svc/contract/placeholders';
import { isConnectionHeader } from '../../../egress/request-headers.ts';
import { invalid } from '../../../lib/app-error.ts';
import { isObject } from '../../../validation/json-schema/check.ts';
import { requireUsableSchema } from '../../../validation/json-schema/require-usable-schema.ts';
import { refuseFaults, reportTogether } from '../../../validation/report-together.ts';
import type { Configuration } from '../../tool-type.ts';
import { parseJsonPath } from '../shared/json-path.ts';
import { parseJsonTemplate } from './build-request.ts';
import { type HttpRequestConfiguration, readConfiguration } from './http-configuration.ts';
import { urlTemplateFault } from './url-template.ts';

const maxLists = 10;

/** Checks what the schema cannot express. Throws VALIDATION_FAILED with all invalid fields. */
export function checkConfiguration(given: Configuration): void {
  const configuration = readConfiguration(given);
  reportTogether((attempt) => {
    attempt(() => refuseIf('url', urlTemplateFault(configuration.url)));
    for (const header of Object.entries(configuration.headers)) attempt(() => checkHeader(header));
    attempt(() => checkBody(configuration));
    attempt(() => checkParameters(configuration.parameters));
    for (const field of ['url', 'headers', 'query', 'body', 'approval_title'] as const)
      attempt(() => checkPlaceholders(field, configuration));
    attempt(() => checkAuthentication(configuration));
    attempt(() => checkResponsePath(configuration.response_path));
  });
}

function checkResponsePath(path: string | undefined): void {
  if (path === undefined) return;
  const steps = parseJsonPath(path);
  if (!steps) throw invalid('response_path', 'must look like data.items[0].name or items[*].id');
  if (steps.filter((step) => step === 'each').length > maxLists)
    throw invalid('response_path', `must not have more than ${maxLists} [*]`);
}

function checkHeader([name, value]: [string, string]): void {
  refuseIf(`headers.${name}`, headerNameFault(name) ?? lineBreakFault(value));
}

function headerNameFault(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return 'is not the name of a header';
  return isConnectionHeader(name) ? 'is set by the connection itself' : undefined;
}

function checkBody({ method, body, body_type: type }: HttpRequestConfiguration): void {
  if (body === undefined) return;
  if (method === 'GET' || method === 'HEAD') throw invalid('body', `cannot be sent with ${method}`);
  if (type === 'text' && typeof body !== 'string') throw invalid('body', 'must be a string');
  if (type === 'form' && !isObject(body)) throw invalid('body', 'must be an object of fields');
  if (type !== 'json' || typeof body !== 'string') return;
  try {
    parseJsonTemplate(body);
  } catch {
    throw invalid('body', 'is not valid JSON; placeholders must be inside quotes');
  }
}

function checkParameters(parameters: HttpRequestConfiguration['parameters']): void {
  if (parameters.type !== 'object' || !isObject(parameters.properties ?? {}))
    throw invalid('parameters', 'must be a JSON Schema with the type object and properties');
  requireUsableSchema(parameters, 'parameters');
}

function checkPlaceholders(
  field: 'url' | 'headers' | 'query' | 'body' | 'approval_title',
  configuration: HttpRequestConfiguration,
): void {
  const known = new Set(Object.keys(configuration.parameters.properties ?? {}));
  const template = JSON.stringify(configuration[field] ?? '');
  if (field !== 'body' && withoutPlaceholders(template).includes('{{'))
    throw invalid(field, 'has an invalid placeholder; write it as {{name}}');
  const unknown = placeholdersIn(template).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw invalid(
      field,
      `names {{${unknown}}}, which is not one of the parameters: add it there, or remove it here`,
    );
}

function checkAuthentication(configuration: HttpRequestConfiguration): void {
  const { auth_type: type, header_name: name = '', oauth_token_url: url = '' } = configuration;
  const missing = neededFor[type].filter((field) => !configuration[field]);
  refuseFaults({
    header_name: type === 'header' && headerNameFault(name),
    oauth_token_url:
      type === 'oauth2_client_credentials' &&
      (url.includes('{{') ? 'must not have a parameter' : urlTemplateFault(url)),
    bearer_token: lineBreakFault(configuration.bearer_token),
    header_value: lineBreakFault(configuration.header_value),
    ...Object.fromEntries(missing.map((field) => [field, `is required when auth_type is ${type}`])),
  });
}

function lineBreakFault(text = ''): string | undefined {
  return /[\r\n\0]/.test(text) ? 'must not contain a line break' : undefined;
}

const neededFor = {
  none: [],
  bearer: ['bearer_token'],
  basic: ['basic_username'],
  header: ['header_name', 'header_value'],
  oauth2_client_credentials: ['oauth_token_url', 'oauth_client_id', 'oauth_client_secret'],
} as const satisfies Record<
  HttpRequestConfiguration['auth_type'],
  readonly (keyof HttpRequestConfiguration)[]
>;

function refuseIf(path: string, fault: string | undefined): void {
  if (fault !== undefined) throw invalid(path, fault);
}
