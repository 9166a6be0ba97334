import { isObject } from '../../validation/json-schema/check.ts';
import { type JsonObject, listOf, type Resolve, textOf } from './document.ts';
import { asText, separators } from './openapi-parameters.ts';
import { addParameter, leaveOutCredential, type RequestParts } from './request-parts.ts';
import { inlineSchema } from './schema.ts';

/** Adds the operation's body. Returns the reason when the operation cannot be sent without it. */
export function addBody(
  parts: RequestParts,
  operation: JsonObject,
  { resolve, maxDepth, method }: { resolve: Resolve; maxDepth: number; method: string },
): string | undefined {
  const body = resolve(operation['requestBody']);
  const content = body && isObject(body['content']) ? Object.entries(body['content']) : [];
  if (!body || content.length === 0) return undefined;
  const isRequired = body['required'] === true;
  const inlining = { resolve, maxDepth, losses: parts.losses };
  const schemaOf = (media: unknown) => inlineSchema(isObject(media) ? media['schema'] : undefined, inlining);
  // Generated documents describe the absence of a body like this, even for GET.
  if (content.every(([, media]) => isEmptyObject(schemaOf(media)))) return undefined;
  if (method === 'GET' || method === 'HEAD') {
    parts.notes.push(`A body cannot be sent with ${method}.`);
    return undefined;
  }
  const [kind, chosen] = choose(content);
  if (!kind || !chosen) {
    const why = `its body is ${content.map(([type]) => type).join(' or ')}, which a tool cannot send`;
    if (!isRequired) parts.notes.push(`Its body is left out: ${why}.`);
    return isRequired ? why : undefined;
  }
  const [mediaType, media] = chosen;
  const schema = schemaOf(media);
  const own = textOf(body['description']).slice(0, 1000);
  parts.bodyType = kind;
  if (kind === 'text') {
    const description = [own, `The body, as ${mediaType}.`].filter(Boolean).join(' ');
    parts.body = addWhole(parts, { type: 'string', description }, isRequired);
  } else if (isSplittable(schema)) {
    const encoding =
      kind === 'form' && isObject(media) && isObject(media['encoding']) ? media['encoding'] : {};
    parts.body = addFields(parts, schema, { isBodyRequired: isRequired, encoding });
  } else parts.body = addWhole(parts, { ...(own && { description: own }), ...schema }, isRequired);
  if (!plainTypes.has(mediaType.toLowerCase())) parts.headers['Content-Type'] = mediaType;
  return kind === 'form' && !isObject(parts.body) ? 'the fields of its form are not described' : undefined;
}

/** Types whose Content-Type the tool sets itself; `*` accepts any. */
const plainTypes = new Set(['application/json', 'application/x-www-form-urlencoded', '*/*', 'application/*']);

const kinds = [
  ['json', /^(application\/json|[\w.-]+\/[\w.+-]+\+json|\*\/\*|application\/\*)(;|$)/i],
  ['form', /^application\/x-www-form-urlencoded(;|$)/i],
  ['text', /^(text\/[\w.+-]+|application\/([\w.-]+\+)?(xml|yaml|x-ndjson|graphql))(;|$)/i],
] as const;

type Kind = (typeof kinds)[number][0];

function choose(content: [string, unknown][]): [Kind, [string, unknown]] | [] {
  for (const [kind, pattern] of kinds) {
    const found = content.find(([type]) => pattern.test(type));
    if (found) return [kind, found];
  }
  return [];
}

const maxFields = 200;

function isEmptyObject({ type, properties, additionalProperties, ...others }: JsonObject): boolean {
  const isBare = isObject(properties) && Object.keys(properties).length === 0 && !additionalProperties;
  return type === 'object' && isBare && !['anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in others);
}

/** Each field of an object whose fields are all known becomes a parameter of its own. */
function isSplittable(schema: JsonObject): boolean {
  const { type, properties, additionalProperties } = schema;
  const isClosed = additionalProperties === undefined || additionalProperties === false;
  const isCombined = ['anyOf', 'oneOf', 'not'].some((keyword) => keyword in schema);
  const count = isObject(properties) ? Object.keys(properties).length : 0;
  return type === 'object' && count > 0 && count <= maxFields && isClosed && !isCombined;
}

function addFields(
  parts: RequestParts,
  schema: JsonObject,
  { isBodyRequired, encoding }: { isBodyRequired: boolean; encoding: JsonObject },
): JsonObject {
  const required = listOf(schema['required']);
  const fields = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  const kept = fields.filter(([name, part]) => {
    const description = isObject(part) ? textOf(part['description']) : '';
    return !leaveOutCredential(parts, { name, description });
  });
  return Object.fromEntries(
    kept.map(([name, part]) => [
      name,
      addParameter(parts, {
        name,
        schema: encoded(parts, name, isObject(part) ? part : {}, encoding[name]),
        isRequired: isBodyRequired && required.includes(name),
        place: 'body',
      }),
    ]),
  );
}

/** The schema of a form's field, as its `encoding` says that it is written. */
function encoded(parts: RequestParts, name: string, schema: JsonObject, encoding: unknown): JsonObject {
  if (!isObject(encoding)) return schema;
  const style = textOf(encoding['style']) || 'form';
  if (style === 'deepObject') parts.deepObjects.push(name);
  const isJoined = schema['type'] === 'array' && (style in separators || encoding['explode'] === false);
  return isJoined ? asText({ schema }, separators[style] ?? ',') : schema;
}

function addWhole(parts: RequestParts, schema: JsonObject, isRequired: boolean): string {
  return addParameter(parts, { name: 'body', schema, isRequired, place: 'whole' });
}
