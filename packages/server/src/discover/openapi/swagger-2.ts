import { isObject } from '../../validation/json-schema/check.ts';
import {
  createResolve,
  type JsonObject,
  listOf,
  type OpenApiDocument,
  type Resolve,
  textOf,
} from './document.ts';
import type { ListedOperation } from './list-operations.ts';
import { maxParameters } from './openapi-parameters.ts';

/**
 * A document of Swagger 2.0 in the form of OpenAPI 3. References into it, such as `#/definitions/Pet`, still lead somewhere. Its
 * operations are converted one by one, because many paths may refer to the same long list of parameters.
 */
export function fromSwagger2(document: OpenApiDocument) {
  const resolve = createResolve(document);
  return {
    document: {
      ...document,
      openapi: '3.0.0',
      servers: serversOf(document).map((url) => ({ url })),
      components: { securitySchemes: securitySchemesOf(document) },
    },
    convert: ({ operation, pathItem, ...address }: ListedOperation): ListedOperation => ({
      ...address,
      pathItem: { ...pathItem, parameters: parametersOf(pathItem, resolve) },
      operation: {
        ...operation,
        parameters: parametersOf(operation, resolve),
        ...requestBodyOf({ operation, pathItem, document }, resolve),
      },
    }),
  };
}

function serversOf(document: JsonObject): string[] {
  const host = textOf(document['host']);
  const basePath = textOf(document['basePath']).replace(/^\/*/, '/');
  if (!host) return [basePath];
  const schemes = listOf(document['schemes']).filter((scheme) => scheme === 'https' || scheme === 'http');
  const sorted = schemes.includes('https') || schemes.length === 0 ? ['https'] : ['http'];
  return sorted.map((scheme) => `${scheme}://${host}${basePath}`);
}

function securitySchemesOf(document: JsonObject): JsonObject {
  const given = isObject(document['securityDefinitions']) ? document['securityDefinitions'] : {};
  return Object.fromEntries(
    Object.entries(given).map(([name, scheme]) => [name, isObject(scheme) ? schemeOf(scheme) : scheme]),
  );
}

function schemeOf(scheme: JsonObject): JsonObject {
  if (scheme['type'] === 'basic') return { type: 'http', scheme: 'basic' };
  if (scheme['type'] !== 'oauth2') return scheme;
  const flow = { tokenUrl: scheme['tokenUrl'] };
  return { type: 'oauth2', flows: scheme['flow'] === 'application' ? { clientCredentials: flow } : {} };
}

/** The first entries that are sent in one of these places: one more than is read, so that the rest is noted. */
function entriesIn(places: readonly string[], { parameters }: JsonObject, resolve: Resolve): JsonObject[] {
  const found: JsonObject[] = [];
  for (const entry of listOf(parameters)) {
    const parameter = resolve(entry);
    if (parameter && places.includes(textOf(parameter['in']))) found.push(parameter);
    if (found.length > maxParameters) break;
  }
  return found;
}

function parametersOf(level: JsonObject, resolve: Resolve): JsonObject[] {
  return entriesIn(['path', 'query', 'header'], level, resolve).map(parameterOf);
}

function requestBodyOf(
  { operation, pathItem, document }: Record<'operation' | 'pathItem' | 'document', JsonObject>,
  resolve: Resolve,
): { requestBody?: JsonObject } {
  const given = (place: string) =>
    [pathItem, operation].flatMap((level) => entriesIn([place], level, resolve));
  const consumes = listOf(operation['consumes'] ?? document['consumes']).filter(
    (one) => typeof one === 'string',
  );
  const requestBody = formOf(given('formData'), consumes) ?? bodyOf(given('body').at(-1), consumes);
  return requestBody ? { requestBody } : {};
}

function bodyOf(body: JsonObject | undefined, consumes: readonly string[]): JsonObject | undefined {
  if (!body) return undefined;
  const types = consumes.length > 0 ? consumes : ['application/json'];
  const { description, required, schema } = body;
  return { description, required, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** Both kinds of form take the same fields; only a file needs the second. */
function formOf(fields: readonly JsonObject[], consumes: readonly string[]): JsonObject | undefined {
  if (fields.length === 0) return undefined;
  const hasFile = fields.some(({ type }) => type === 'file');
  const types = formTypes.filter((type) => consumes.includes(type));
  const usual = types.length > 0 && !types.includes(formTypes[0] ?? '') ? types : formTypes.slice(0, 1);
  const properties = fields.map((field) => [textOf(field['name']), schemaOf(field)] as const);
  const encoding = fields.map((field) => [textOf(field['name']), styleOf(field)] as const);
  const required = fields.filter((field) => field['required'] === true).map((field) => textOf(field['name']));
  const media = {
    schema: { type: 'object', properties: Object.fromEntries(properties), required },
    encoding: Object.fromEntries(encoding),
  };
  const content = (hasFile ? formTypes.slice(1) : usual).map((type) => [type, media] as const);
  return { required: required.length > 0, content: Object.fromEntries(content) };
}

function parameterOf(parameter: JsonObject): JsonObject {
  const { name, in: place, required, description } = parameter;
  return { name, in: place, required, description, schema: schemaOf(parameter), ...styleOf(parameter) };
}

/** Everything that describes the value stands beside its name. */
function schemaOf(parameter: JsonObject): JsonObject {
  const { name: _name, in: _in, required: _required, collectionFormat: _format, ...schema } = parameter;
  return schema;
}

function styleOf({ collectionFormat, type }: JsonObject): JsonObject {
  if (type !== 'array') return {};
  switch (collectionFormat) {
    case 'multi':
      return { style: 'form', explode: true };
    case 'ssv':
      return { style: 'spaceDelimited', explode: false };
    case 'pipes':
      return { style: 'pipeDelimited', explode: false };
    default:
      return { explode: false };
  }
}
