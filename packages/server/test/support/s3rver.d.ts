declare module 's3rver' {
  import type { Server } from 'node:http';

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

  /** An object store that speaks S3's protocol and verifies its signatures. */
  export default class S3rver {
    httpServer: Server;
    store: {
      putObject(object: StoredObject): Promise<{ size: number }>;
      getResourcePath(bucket: string, key: string, resource: 'object'): string;
    };
    constructor(options: S3rverOptions);
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }
}
