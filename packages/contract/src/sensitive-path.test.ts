import { expect, it } from 'vitest';
import { isSensitivePath } from './sensitive-path.ts';

it.each([
  '.env',
  'app/.env.local',
  '.envrc',
  '.ENV',
  'C:\\shop\\.env',
  'server.pem',
  'tls/private.key',
  '.ssh/config',
  '/home/ada/.aws/credentials',
  'id_rsa',
  'id_ed25519_work',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  'credentials.json',
  'store.jks',
])('%s may have secrets in it', (path) => expect(isSensitivePath(path)).toBe(true));

it.each([
  '.env.example',
  'app/.env.local.sample',
  'id_rsa.pub',
  'env.ts',
  'src/keys.ts',
  'monkey',
  'README.md',
  '',
  'credentials.ts',
])('%s is read like any other file', (path) => expect(isSensitivePath(path)).toBe(false));
