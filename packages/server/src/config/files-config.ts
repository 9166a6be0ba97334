import { withoutUndefined } from '../lib/without-undefined.ts';
import { ConfigError } from './config-error.ts';
import type { ConfigReader } from './config-reader.ts';

/** The bucket for large files. */
export interface FilesConfig {
  bucket: string;
  /** Before the key of every object: empty, or with a slash at its end. */
  prefix: string;
  /** Left out for AWS. */
  endpoint?: string;
  region?: string;
  /** Left out: found as every program with AWS's library finds them, such as the role of the machine. */
  credentials?: {
    accessKeyId: string;
    /** Secret. */
    secretAccessKey: string;
    /** Secret. */
    sessionToken?: string;
  };
}

const addresses = /^s3:\/\/(?<bucket>[\w.-]{3,255})(?:\/(?<prefix>[\w.-]+(?:\/[\w.-]+)*))?\/?$/;

/** With the variables that AWS's own programs take. Other programs may need those too, so alone they mean nothing. */
export function readFilesConfig(read: ConfigReader): FilesConfig | undefined {
  const address = read.text('SVC_FILES');
  if (address === undefined) return undefined;
  const { bucket, prefix } = addresses.exec(address)?.groups ?? {};
  if (bucket === undefined)
    throw new ConfigError('SVC_FILES must look like s3://bucket or s3://bucket/prefix.');
  const endpoint = read.url('AWS_ENDPOINT_URL_S3') ?? read.url('AWS_ENDPOINT_URL');
  return withoutUndefined({
    bucket,
    prefix: prefix === undefined ? '' : `${prefix}/`,
    endpoint,
    // Every request is signed for a region, even where there is only one.
    region: read.text('AWS_REGION') ?? (endpoint === undefined ? undefined : 'us-east-1'),
    credentials: readCredentials(read),
  });
}

function readCredentials(read: ConfigReader): FilesConfig['credentials'] {
  const accessKeyId = read.secret('AWS_ACCESS_KEY_ID');
  const secretAccessKey = read.secret('AWS_SECRET_ACCESS_KEY');
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ConfigError('With SVC_FILES, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY need each other.');
  return withoutUndefined({ accessKeyId, secretAccessKey, sessionToken: read.secret('AWS_SESSION_TOKEN') });
}
