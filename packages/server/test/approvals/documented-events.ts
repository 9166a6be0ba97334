import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { SseEvent } from '../support/sse-client.ts';
import type { Call } from '../support/test-app.ts';

interface Components {
  schemas: { StreamEvent: { discriminator: { mapping: Record<string, string> } } };
}

/** Checks events against the OpenAPI document. A fault names the event and what does not match. */
export async function documentedEvents({ call }: { call: Call }) {
  const { components } = (await call('GET /openapi.json')).body as { components: Components };
  const streamed = validatorOf(closed(components), 'StreamEvent');
  const logged = validatorOf(components, 'Event');
  return {
    /** The names of all events, sorted. */
    names: Object.keys(components.schemas.StreamEvent.discriminator.mapping).toSorted(),
    faultsOfStreamed: (event: SseEvent) => faults(event, streamed),
    faultsOfLogged: (event: SseEvent) => faults(event, logged),
  };
}

type Validator = ReturnType<typeof validatorOf>;

function faults(event: SseEvent, validate: Validator): string[] {
  const fits: boolean = validate(event);
  if (fits) return [];
  // Every other event in the union only fails on the name.
  const own = validate.errors?.filter(({ instancePath }) => instancePath !== '/event');
  return [`${event.event} ${JSON.stringify(event.data)}: ${JSON.stringify(own)}`];
}

function validatorOf(components: Components, name: string) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'api', components });
  return ajv.compile({ $ref: `api#/components/schemas/${name}` });
}

/** An undocumented field is a fault too, although a client must ignore it. */
function closed(components: Components): Components {
  return JSON.parse(JSON.stringify(components), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && 'properties' in value
      ? { additionalProperties: false, ...value }
      : value,
  ) as Components;
}
