/** Folders of programs that keep passwords and keys there. */
const folders = new Set([
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.gcloud',
  '.password-store',
  '.terraform.d',
]);

const files: readonly RegExp[] = [
  /^\.env/,
  /\.env$/,
  /\.(pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|ovpn|kubeconfig)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)/,
  /^[._]netrc$/,
  /^\.(npmrc|yarnrc|yarnrc\.yml|pypirc|pgpass|my\.cnf|mylogin\.cnf|git-credentials|gitconfig|htpasswd)$/,
  /^\.(dockercfg|dockerconfigjson|vault-token|s3cfg|boto|terraformrc)$/,
  /^\.\w+_history$/,
  /\.tfstate(\.|$)/,
  /\.tfvars(\.json)?$/,
  /^(.*[_.-])?credentials(\.(json|ya?ml|toml|ini|xml))?$/,
  /^secrets(\.[\w-]+)?\.(json|ya?ml|toml|ini|xml)$/,
  /^service-?account.*\.json$/,
  /^(kubeconfig|rclone\.conf|wp-config\.php)$/,
];

/** Names that only mean this in their folder. Addresses of remotes in the settings and logs of git can have a password in them. */
const paths: readonly RegExp[] = [
  /(^|\/)\.git\/(.*\/)?(config|config\.worktree|fetch_head|logs\/.*)$/,
  /(^|\/)(gh\/hosts|glab-cli\/config)\.ya?ml$/,
  /(^|\/)\.config\/(gcloud\/.*|hub)$/,
  /(^|\/)\.m2\/settings(-security)?\.xml$/,
  /(^|\/)\.gradle\/gradle\.properties$/,
  /(^|\/)\.?composer\/auth\.json$/,
];

/** Templates without values, and the public half of a key. */
const harmless =
  /^\.env[\w.-]*\.(example|sample|template|dist)$|^\.?(example|sample|template|dist)\.env$|^id_[a-z0-9]+.*\.pub$/;

/**
 * Whether a file is likely to have passwords or private keys in it, by its path alone. Agents read such files only after a person
 * was asked.
 */
export function isSensitivePath(path: string): boolean {
  const names = fold(path)
    .split(/[\\/]/)
    .filter((name) => name !== '' && name !== '.');
  if (names.some((one) => folders.has(one))) return true;
  const name = names.at(-1) ?? '';
  if (harmless.test(name)) return false;
  // A copy that an editor or a person left behind has the same in it.
  const original = name.replace(/(\.(bak|backup|old|orig|save|sw[a-z])|~)+$/, '');
  const location = [...names.slice(0, -1), original].join('/');
  return files.some((pattern) => pattern.test(original)) || paths.some((pattern) => pattern.test(location));
}

/** The same for all spellings that some file system takes for the same name, and without characters that it ignores. */
function fold(path: string): string {
  return path
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC');
}
