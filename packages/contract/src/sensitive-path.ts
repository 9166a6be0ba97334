/** Folders of programs that keep passwords and keys there. */
const folders = new Set(['.ssh', '.aws', '.azure', '.gnupg', '.kube', '.docker', '.gcloud']);

const files: readonly RegExp[] = [
  /^\.env/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^[._]netrc$/,
  /^\.(npmrc|yarnrc\.yml|pypirc|pgpass|my\.cnf|git-credentials|htpasswd|dockercfg|vault-token)$/,
  /^credentials(\.(json|ya?ml|toml|ini|xml))?$/,
  /^service-?account.*\.json$/,
];

/** Templates without values, and the public half of a key. */
const harmless = /^\.env[\w.-]*\.(example|sample|template|dist)$|^id_[a-z0-9]+.*\.pub$/;

/**
 * Whether a file is likely to have passwords or private keys in it, by its path alone. Agents read such files only after a person
 * was asked.
 */
export function isSensitivePath(path: string): boolean {
  const names = path
    .toLowerCase()
    .split(/[\\/]/)
    .filter((name) => name !== '');
  const name = names.at(-1) ?? '';
  if (names.some((one) => folders.has(one))) return true;
  return files.some((pattern) => pattern.test(name)) && !harmless.test(name);
}
