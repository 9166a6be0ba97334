interface Document {
  paths?: Record<string, Record<string, OperationObject>>;
  components?: { headers?: Record<string, object> };
}

interface OperationObject {
  security?: object[];
  responses: Record<string, { headers?: Record<string, object> }>;
}

const whole = { schema: { type: 'integer', minimum: 0 } };

const headers = {
  'RateLimit-Limit': {
    ...whole,
    description: 'How many requests are allowed within a minute. Only while there is a limit.',
  },
  'RateLimit-Remaining': { ...whole, description: 'How many of them are left.' },
  'RateLimit-Reset': { ...whole, description: 'In how many seconds all of them are available again.' },
  'Retry-After': { ...whole, description: 'After how many seconds it is worth trying again.' },
};

/** Adds the rate-limit headers to every operation that needs a key. */
export function withLimitHeaders<Given extends object>(document: Given): Given {
  const { paths = {}, components = {} } = document as Document;
  components.headers = { ...components.headers, ...headers };
  (document as Document).components = components;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    if (!operation.security?.length) continue;
    for (const [status, response] of Object.entries(operation.responses)) {
      const names = Object.keys(headers).filter((name) => name !== 'Retry-After' || status === '429');
      const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
      response.headers = { ...response.headers, ...Object.fromEntries(references) };
    }
  }
  return document;
}
