interface Document {
  paths?: Record<string, Record<string, OperationObject>>;
}

interface OperationObject {
  requestBody?: { required?: boolean; content: Record<string, { schema?: { type?: unknown } }> };
}

/** A body that may be `null` for the validator is an optional body in OpenAPI. */
export function withOptionalBodies<Given extends object>(document: Given): Given {
  for (const methods of Object.values((document as Document).paths ?? {})) {
    for (const { requestBody } of Object.values(methods)) {
      for (const { schema } of Object.values(requestBody?.content ?? {})) {
        if (!requestBody || !schema || !Array.isArray(schema.type) || !schema.type.includes('null')) continue;
        requestBody.required = false;
        schema.type = 'object';
      }
    }
  }
  return document;
}
