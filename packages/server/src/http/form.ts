import { createHash } from 'node:crypto';
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { AppError, invalid } from '../lib/app-error.ts';
import { guardText } from '../validation/text-guard.ts';
import type { HttpApp } from './http-app.ts';

export const formType = 'multipart/form-data';

/** A file part. Of its content it has only size and hash, so that requests can be compared by them. */
export interface FormFile {
  filename: string;
  size: number;
  sha256: string;
  /** Bytes beyond the limit were read and dropped. */
  isTooLarge: boolean;
  /** A function, so that code that walks a body does not walk through every byte. */
  bytes(): Buffer;
}

export interface FormLimits {
  files: number;
  fileBytes: number;
  totalBytes: number;
}

const maxFields = 20;
const maxFieldBytes = 64 * 1024;
const maxNameLength = 255;

/** The routes added by `add`, and no others, take forms: text fields by their names, and all files as `files`. With `isOnly`, they take nothing else. */
export async function withForms(
  app: HttpApp,
  { isOnly = false, ...limits }: FormLimits & { isOnly?: boolean },
  add: (scope: HttpApp) => void,
): Promise<void> {
  await app.register(async (child) => {
    // The same server: Fastify drops our types in child scopes.
    const scope = child as unknown as HttpApp;
    await scope.register(multipart, {
      throwFileSizeLimit: false,
      limits: {
        files: limits.files,
        fileSize: limits.fileBytes,
        fields: maxFields,
        fieldSize: maxFieldBytes,
        headerPairs: 20,
      },
    });
    scope.addHook('preValidation', async (request) => {
      if (request.isMultipart()) request.body = await readForm(request, limits);
      else if (isOnly) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
    });
    add(scope);
  });
}

/** The schema that a parsed form is validated against: what OpenAPI describes as binary text is an object here. */
export function asReadForm(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asReadForm);
  if (schema === null || typeof schema !== 'object') return schema;
  if ('format' in schema && schema.format === 'binary') return { type: 'object' };
  return Object.fromEntries(Object.entries(schema).map(([key, entry]) => [key, asReadForm(entry)]));
}

async function readForm(request: FastifyRequest, limits: FormLimits): Promise<Record<string, unknown>> {
  if (Number(request.headers['content-length'] ?? 0) > limits.totalBytes) {
    throw new AppError('PAYLOAD_TOO_LARGE');
  }
  try {
    return await Promise.race([readParts(request), tooMuch(request, limits.totalBytes)]);
  } catch (error) {
    // The rest is read and dropped: many clients look for an answer only after sending everything.
    request.raw.unpipe();
    request.raw.resume();
    throw toAppError(error, limits);
  }
}

/** Rejects once more than this has arrived: a form without Content-Length is read no further. */
function tooMuch({ raw }: FastifyRequest, maxBytes: number): Promise<never> {
  let total = 0;
  return new Promise((_resolve, reject) => {
    raw.on('data', (chunk: Buffer) => {
      total += chunk.length;
      if (total > maxBytes) reject(new AppError('PAYLOAD_TOO_LARGE'));
    });
  });
}

async function readParts(request: FastifyRequest): Promise<Record<string, unknown>> {
  const fields: Record<string, string> = {};
  const files: FormFile[] = [];
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      files.push(await readFile(part));
      continue;
    }
    const { value, valueTruncated } = part;
    // A part can lack a name, although the types deny it.
    const name = (part.fieldname as string | undefined) ?? '';
    if (name === 'files') throw invalid(name, 'must be a file');
    if (Object.hasOwn(fields, name)) throw invalid(name, 'was sent more than once');
    if (valueTruncated) throw invalid(name, 'is too long');
    // A part with a JSON content type is already parsed.
    fields[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  guardText(fields);
  return { ...fields, files };
}

async function readFile(part: MultipartFile): Promise<FormFile> {
  const bytes = await part.toBuffer();
  return {
    filename: tidyName(part.filename),
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    isTooLarge: part.file.truncated,
    bytes: () => bytes,
  };
}

/** Only a label: nothing is stored under this name. The end is kept, because it has the file's extension. */
function tidyName(name: string | undefined): string {
  const plain = (name ?? '').toWellFormed().replaceAll(/\p{Cc}/gu, '');
  return (plain.split(/[/\\]/).at(-1) ?? '').trim().slice(-maxNameLength).toWellFormed();
}

function toAppError(error: unknown, { files }: FormLimits): AppError {
  if (error instanceof AppError) return error;
  const { code } = error as { code?: string };
  if (code === 'FST_FILES_LIMIT') return invalid('files', `must be at most ${files}`);
  if (code === 'FST_FIELDS_LIMIT') {
    return new AppError('VALIDATION_FAILED', { message: `The form has more than ${maxFields} fields.` });
  }
  // Metadata is the only field that may be sent as JSON.
  if (code === 'FST_INVALID_JSON_FIELD_ERROR') return new AppError('METADATA_INVALID');
  return new AppError('VALIDATION_FAILED', {
    message: 'The body is not a well-formed multipart form.',
    cause: error,
  });
}
