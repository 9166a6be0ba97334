import type { Command } from 'commander';
import { createSecretBox } from '../secrets/secret-box.ts';
import { webhookSecret } from '../webhooks/webhook-signature.ts';
import { parseId } from './arguments.ts';
import { print } from './command-output.ts';
import { findBotRow } from './find-bot-row.ts';
import { withServices } from './lazily.ts';

export function botCommands(program: Command): void {
  const bots = program.command('bots').description('show the webhook secret of a bot');

  bots
    .command('webhook-secret')
    .description('print the secret that a bot’s webhooks are signed with; a new encryption key changes it')
    .argument('<id>', 'the bot', parseId)
    .option('--json', 'print one JSON document', false)
    .action(async (id: string, { json }: { json: boolean }) => {
      const secret = await withServices(async (services) => {
        // With a mistyped id there would be a secret too, and no signature would ever match it.
        await findBotRow(services, id);
        return webhookSecret(createSecretBox(services.keyRing), id);
      });
      print(json, { bot_id: id, webhook_secret: secret }, secret);
    });
}
