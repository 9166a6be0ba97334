import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * The settings of git that commands in the sandbox start with: the name and address for commits, as they apply in this
 * folder, but no credentials, and no complaint about folders of other users.
 */
export async function readGitSettings(
  git: string | undefined,
  folder: string,
  environment: NodeJS.ProcessEnv,
) {
  const values = await Promise.all(
    ['name', 'email'].map(async (key) => {
      const value = git && (await readSetting(git, folder, `user.${key}`, environment));
      return value ? `\t${key} = ${quote(value)}\n` : '';
    }),
  );
  return `[safe]\n\tdirectory = *\n[user]\n${values.join('')}`;
}

async function readSetting(git: string, folder: string, name: string, environment: NodeJS.ProcessEnv) {
  try {
    const options = { cwd: folder, env: environment, timeout: 10_000 };
    const { stdout } = await promisify(execFile)(git, ['config', '--get', name], options);
    return stdout.trim();
  } catch {
    // Not set, or git does not work here: commits then need a name of their own.
    return undefined;
  }
}

function quote(value: string): string {
  return `"${value.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll(/[\r\n\0]/g, ' ')}"`;
}
