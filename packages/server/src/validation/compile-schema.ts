import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { isCheapToExplain } from './cost-of-explaining.ts';

/** True when the value fits; otherwise `errors` says what is wrong, until the next call. */
export type Validate = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null };

export interface CompilerOptions {
  /** Bodies are never coerced; queries, being text, are. */
  coerce: boolean;
}

/**
 * Compiles JSON Schemas of our own. A value is first held against its schema up to the first fault, which takes about as
 * long as reading it did. Only if it does not fit, and is small enough, are all its faults looked for.
 *
 * A schema is compiled when a first value is held against it: compiling those of all routes took a third of a start.
 */
export function createSchemaCompiler(options: CompilerOptions): (schema: object) => Validate {
  let stopping: Ajv | undefined;
  let thorough: Ajv | undefined;

  return (schema) => {
    let fits: Validate | undefined;
    let explain: Validate | undefined;
    const validate: Validate = (value) => {
      stopping ??= createAjv(options, { allErrors: false });
      fits ??= stopping.compile(schema);
      if (fits(value)) return true;
      validate.errors = fits.errors ?? [];
      if (!isCheapToExplain(value)) return false;
      thorough ??= createAjv(options, { allErrors: true });
      explain ??= thorough.compile(schema);
      if (!explain(value)) validate.errors = explain.errors ?? [];
      return false;
    };
    return validate;
  };
}

function createAjv({ coerce }: CompilerOptions, { allErrors }: { allErrors: boolean }): Ajv {
  const ajv = new Ajv({
    coerceTypes: coerce,
    removeAdditional: false,
    useDefaults: false,
    allErrors,
    verbose: true,
    strict: false,
    // They are ours, and TypeBox wrote them: holding each against the schema of schemas took as long as compiling it.
    meta: false,
    validateSchema: false,
    // V8 does that too, and better.
    code: { optimize: false },
  });
  addFormats.default(ajv, ['uuid', 'date-time']);
  ajv.addFormat('http-url', isHttpUrl);
  ajv.addKeyword({
    keyword: 'x-max-json-bytes',
    validate: (limit: number, value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= limit,
  });
  return ajv;
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}
