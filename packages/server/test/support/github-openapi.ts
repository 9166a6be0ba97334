import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/**
 * GitHub's own OpenAPI document: 13 MB, 1,223 operations. It is `generated/api.github.com.json` of `@octokit/openapi`
 * 23.0.2, whose licence is beside it; the package itself takes 404 MB, too much to install.
 */
export function readGithubDocument(): Buffer {
  return brotliDecompressSync(
    readFileSync(resolve(import.meta.dirname, '../fixtures/github-openapi.json.br')),
  );
}
