import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';

/** True when the value is valid; otherwise `errors` lists what is wrong, until the next call. */
export type Validate = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null };

export interface CompilerOptions {
  /** Bodies are never coerced; queries are, because they are text. */
  coerce: boolean;
}

/**
 * Compiles our own JSON Schemas. A value is first checked up to its first fault, which takes about as long as parsing it.
 * Only if it is invalid, and small enough, are all its faults collected.
 *
 * A schema is compiled on first use: compiling those of all routes took a third of the start-up time.
 */
export function createSchemaCompiler(options: CompilerOptions): (schema: object) => Validate {
  return (schema) => {
    let fits: Validate | undefined;
    let explain: Validate | undefined;
    const validate: Validate = (value) => {
      fits ??= findOrCreateAjv(options, { allErrors: false }).compile(schema);
      if (fits(value)) return true;
      validate.errors = fits.errors ?? [];
      if (!isCheapToExplain(value)) return false;
      explain ??= findOrCreateAjv(options, { allErrors: true }).compile(schema);
      if (!explain(value)) validate.errors = explain.errors ?? [];
      return false;
    };
    return validate;
  };
}

/** One of each kind per process: it remembers what it has compiled. */
const compilers = new Map<string, Ajv>();

function findOrCreateAjv({ coerce }: CompilerOptions, { allErrors }: { allErrors: boolean }): Ajv {
  const kind = `${coerce} ${allErrors}`;
  const ajv = compilers.get(kind) ?? createAjv({ coerce }, { allErrors });
  compilers.set(kind, ajv);
  return ajv;
}

function createAjv({ coerce }: CompilerOptions, { allErrors }: { allErrors: boolean }): Ajv {
  const ajv = new Ajv({
    coerceTypes: coerce,
    removeAdditional: false,
    useDefaults: false,
    allErrors,
    verbose: true,
    strict: false,
    // TypeBox generates valid schemas, and checking each against the meta-schema took as long as compiling it.
    meta: false,
    validateSchema: false,
    // V8 optimizes better.
    code: { optimize: false },
  });
  addFormats.default(ajv, ['uuid', 'date-time']);
  ajv.addFormat('http-url', isHttpUrl);
  ajv.addFormat('https-url', (text: string) => URL.parse(text)?.protocol === 'https:');
  ajv.addKeyword({
    keyword: 'x-max-json-bytes',
    validate: (limit: number, value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= limit,
  });
  // Two times of a day. What is not written as one is left to its pattern.
  ajv.addKeyword({
    keyword: 'x-later',
    type: 'object',
    validate: ([first, then]: [string, string], { [first]: start, [then]: end }: Record<string, unknown>) =>
      String(start).length !== String(end).length || String(start) < String(end),
  });
  return ajv;
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

const most = 200_000;

/**
 * Whether all faults of a value can be reported without delaying other requests. Reporting one costs as much as its path is
 * long, so a few values under a very long key count like many under a short one.
 */
function isCheapToExplain(value: unknown): boolean {
  return costOf(value, 0, most) <= most;
}

/** The sum of the lengths of all paths; stops soon after the limit is exceeded. */
function costOf(value: unknown, pathLength: number, limit: number): number {
  let cost = pathLength + 1;
  if (value === null || typeof value !== 'object') return cost;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && cost <= limit; index += 1) {
      cost += costOf(value[index], pathLength + String(index).length + 1, limit - cost);
    }
    return cost;
  }
  for (const key of Object.keys(value)) {
    if (cost > limit) break;
    cost += costOf((value as Record<string, unknown>)[key], pathLength + key.length + 1, limit - cost);
  }
  return cost;
}
