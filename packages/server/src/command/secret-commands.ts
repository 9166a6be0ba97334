import type { Command } from 'commander';
import { print } from './command-output.ts';
import { withServices } from './lazily.ts';

export function secretCommands(program: Command): void {
  const secrets = program.command('secrets').description('manage the stored secrets of tools');

  secrets
    .command('rotate')
    .description('encrypt every stored secret with the current key, so that earlier keys can be removed')
    .option('--generate', 'first create a new key, if the key is a file in the data directory', false)
    .option('--json', 'print one JSON document', false)
    .action(async ({ generate, json }: { generate: boolean; json: boolean }) => {
      const done = await withServices(async (services) => {
        const { rotateSecrets } = await import('./rotate-secrets.ts');
        return rotateSecrets(services, generate);
      });
      print(
        json,
        { ...done, generated: generate },
        `${generate ? 'Made a new key. ' : ''}Under the current key are now ${done.secrets} secrets of tools and ${done.answers} stored answers.`,
      );
    });
}
