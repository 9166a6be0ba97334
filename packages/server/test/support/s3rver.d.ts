declare module 's3rver' {
  import type { IncomingMessage, Server } from 'node:http';

  export interface S3rverOptions {
    address: string;
    port: number;
    silent: boolean;
    directory: string;
    vhostBuckets: boolean;
    configureBuckets: { name: string }[];
  }

  export interface StoredObject {
    bucket: string;
    key: string;
  }

  export interface Context {
    req: IncomingMessage;
    status: number;
    type: string;
    body: string;
  }

  /** An object store that speaks S3's protocol. */
  export default class S3rver {
    httpServer: Server;
    middleware: ((context: Context, next: () => Promise<void>) => Promise<void> | void)[];
    store: {
      putObject(object: StoredObject): Promise<{ size: number }>;
      getResourcePath(bucket: string, key: string, resource: 'object'): string;
    };
    constructor(options: S3rverOptions);
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
