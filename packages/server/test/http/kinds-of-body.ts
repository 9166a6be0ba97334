import type { JsonSchema, Operation } from '../support/operations.ts';
import type { Call } from '../support/test-app.ts';

type Body = NonNullable<Operation['body']>;

/** A tool's configuration depends on its type, so every type is tried with its presets. */
export async function kindsOf(call: Call, operation: Operation, body: Body): Promise<[Body, ...Body[]]> {
  if (operation.name !== 'POST /api/v1/tools') return [body];
  const catalog = (await call('GET /api/v1/tools/catalog')).body as {
    tool_type: string;
    configuration_schema: JsonSchema;
    presets: { configuration: object }[];
  }[];
  const [first, ...others] = catalog.map(({ tool_type, configuration_schema: configuration, presets }) => ({
    ...body,
    schema: { ...body.schema, properties: { ...body.schema.properties, configuration } },
    example: { ...(body.example as object), tool_type, configuration: presets[0]?.configuration ?? {} },
  }));
  if (!first) throw new Error('The catalog is empty.');
  return [first, ...others];
}
