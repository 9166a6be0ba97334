import { type Static, type TSchema, Type } from 'typebox';
import { ErrorBody } from './common.ts';

/** An error inside a stream: the body of an HTTP error, and whether trying again can help. */
export const EventError = Type.Object(
  { ...ErrorBody.properties, retryable: Type.Boolean() },
  { $id: 'EventError' },
);
export type EventError = Static<typeof EventError>;

/** Events by name, each with the schema of its data. */
export type EventData = Record<string, TSchema & { description?: string }>;

/** `{ type, data }` of any of these events; `type` decides what `data` is. */
export type EventOf<Events extends EventData> = {
  [Name in keyof Events]: { type: Name; data: Static<Events[Name]> };
}[keyof Events];

/** The same event as the API writes it, with these fields beside its name and data. */
export type WireEvent<Event, Fields = unknown> = Event extends { type: infer Name; data: infer Data }
  ? { event: Name; data: Data } & Fields
  : never;

/** An event as the API writes it, with the name of its component in the OpenAPI document. */
interface EventSchema {
  event: string;
  component: string;
  schema: TSchema;
}

/** `turn.started` is a `TurnStartedEvent` in the OpenAPI document, after the prefix. */
export function eventSchemas(
  events: EventData,
  fields: Record<string, TSchema> = {},
  prefix = '',
): EventSchema[] {
  return Object.entries(events).map(([event, data]) =>
    eventSchema(event, data, `${prefix}${pascalCase(event)}Event`, fields),
  );
}

export function eventSchema(
  event: string,
  data: EventData[string],
  component: string,
  fields: Record<string, TSchema> = {},
): EventSchema {
  const { description } = data;
  const options = { $id: component, ...(description && { description }) };
  return { event, component, schema: Type.Object({ ...fields, event: Type.Literal(event), data }, options) };
}

/** Any of these events, as an OpenAPI schema. */
export function oneOfEvents(schemas: readonly EventSchema[]) {
  const mapping = schemas.map(({ event, component }) => [event, `#/components/schemas/${component}`]);
  return {
    oneOf: schemas.map(({ schema }) => schema),
    discriminator: { propertyName: 'event', mapping: Object.fromEntries(mapping) },
  };
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
