import { isObject } from '../../validation/json-schema/check.ts';
import {
  createResolve,
  type JsonObject,
  listOf,
  type OpenApiDocument,
  type Resolve,
  textOf,
} from './document.ts';

/** A document of Swagger 2.0 in the form of OpenAPI 3. References into it, such as `#/definitions/Pet`, still lead somewhere. */
export function fromSwagger2(document: OpenApiDocument): OpenApiDocument {
  const resolve = createResolve(document);
  const paths = Object.entries(document.paths);
  return {
    ...document,
    openapi: '3.0.0',
    servers: serversOf(document).map((url) => ({ url })),
    components: { securitySchemes: securitySchemesOf(document) },
    paths: Object.fromEntries(
      paths.map(([path, item]) => [path, pathItemOf(resolve(item) ?? {}, document, resolve)]),
    ),
  };
}

function serversOf(document: JsonObject): string[] {
  const host = textOf(document['host']);
  const basePath = textOf(document['basePath']) || '/';
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

function pathItemOf(item: JsonObject, document: JsonObject, resolve: Resolve): JsonObject {
  const { parameters: shared, ...others } = item;
  return Object.fromEntries(
    Object.entries(others).map(([name, operation]) => [
      name,
      isObject(operation) ? operationOf(operation, listOf(shared), { document, resolve }) : operation,
    ]),
  );
}

function operationOf(
  operation: JsonObject,
  shared: readonly unknown[],
  { document, resolve }: { document: JsonObject; resolve: Resolve },
): JsonObject {
  const given = [...shared, ...listOf(operation['parameters'])]
    .map((entry) => resolve(entry))
    .filter((entry) => entry !== undefined);
  const of = (...places: string[]) => given.filter((one) => places.includes(textOf(one['in'])));
  const consumes = listOf(operation['consumes'] ?? document['consumes']).filter(
    (one) => typeof one === 'string',
  );
  const requestBody = formOf(of('formData'), consumes) ?? bodyOf(of('body').at(-1), consumes);
  return {
    ...operation,
    parameters: of('path', 'query', 'header').map(parameterOf),
    ...(requestBody && { requestBody }),
  };
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
