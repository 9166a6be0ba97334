import { type Command, InvalidArgumentError } from 'commander';
import { parseId } from '../arguments.ts';
import type { ChatOptions } from './chat.ts';

export function chatCommand(program: Command): void {
  program
    .command('chat')
    .description('talk to a bot of a running service, here in the terminal or through a pipe')
    .argument('<bot>', 'its id or its exact name')
    .option('--url <url>', "the service's address (default: SVC_PUBLIC_URL, or HOST and PORT)", parseUrl)
    .option('--key <key>', 'an account key; SVC_API_KEY keeps it out of the process list')
    .option('--user <id>', 'the owner of the conversation: your own id of the end user', 'terminal')
    .option('--conversation <id>', 'continue this conversation', parseId)
    .option('--machine <id>', "a paired machine for the bot's work on code", parseId)
    .option('--workdir <folder>', 'the project directory on that machine')
    .option('--new', 'start a new conversation instead of continuing the latest', false)
    .addHelpText(
      'after',
      '\nIn a terminal you are asked when a call waits for approval. In a pipe, the chat then ends with exit code 3.',
    )
    .action(async (bot: string, options: ChatOptions) => {
      const { chat } = await import('./chat.ts');
      process.exitCode = await chat(bot, options);
    });
}

function parseUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new InvalidArgumentError('Give an address such as https://svc.example.com.');
  }
  return text.replace(/\/+$/, '');
}
