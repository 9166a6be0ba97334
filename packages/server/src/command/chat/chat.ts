import { readConfig } from '../../config/config.ts';
import { createApiClient } from './api-client.ts';
import { openHistory } from './chat-history.ts';
import { converse } from './converse.ts';
import { createEditor } from './editor.ts';
import { findBot } from './find-bot.ts';
import { serviceAddress } from './service-address.ts';
import { openTerminal } from './terminal.ts';

export interface ChatOptions {
  url?: string;
  key?: string;
  user: string;
  conversation?: string;
  machine?: string;
  workdir?: string;
  new: boolean;
}

/** Talks to a bot of a running service through its public API. Returns the exit code. */
export async function chat(wanted: string, options: ChatOptions): Promise<number> {
  if (options.new && options.conversation) throw new Error('Give --new or --conversation, not both.');
  const config = readConfig();
  const address = serviceAddress(options, config);
  const leaving = new AbortController();
  const client = createApiClient(address, leaving.signal);
  try {
    const bot = await findBot(client, wanted);
    const terminal = openTerminal({
      onOutputLost: () => leaving.abort(),
      openHistory: (onProblem) => openHistory(config.configFolder, onProblem),
    });
    try {
      if (terminal.isInteractive) {
        terminal.say(`Talking to ${bot.name} at ${address.url}. /help lists commands, Ctrl-D leaves.`);
      }
      const start = {
        bot,
        user: options.user,
        conversationId: options.conversation,
        machineId: options.machine,
        workdir: options.workdir,
        startsAfresh: options.new,
      };
      return await converse(start, { client, terminal, edit: createEditor(config.editor), leaving });
    } finally {
      terminal.close();
    }
  } finally {
    await client.close();
  }
}
