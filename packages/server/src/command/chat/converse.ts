import type { SendMessage } from '@svc/contract/chat';
import type { FoundBot } from './find-bot.ts';
import { type ChatDependencies, runTurn, type TurnResult } from './run-turn.ts';

export interface Conversing {
  bot: FoundBot;
  user: string;
  conversationId: string | undefined;
  /** Where tools that leave it open work. */
  machineId: string | undefined;
  workdir: string | undefined;
  startsAfresh: boolean;
}

const exitCodes: Record<TurnResult['outcome'], number> = {
  completed: 0,
  failed: 1,
  paused: 3,
  interrupted: 130,
  left: 130,
};
const help = `/new   start a new conversation
/help  show this
/exit  leave (so do Ctrl-D, and Ctrl-C while nothing runs)
//…    send a message that begins with a slash
Ctrl-C while a reply runs stops the reply; while a call waits for your approval it leaves it waiting.`;

/** Sends line after line until the input ends. Returns the exit code. */
export async function converse(start: Conversing, dependencies: ChatDependencies): Promise<number> {
  const { terminal } = dependencies;
  let { conversationId, startsAfresh } = start;
  let exitCode = 0;

  for (let line = await terminal.nextLine(); line !== undefined; line = await terminal.nextLine()) {
    const text = line.trim();
    if (text === '') continue;
    if (text === '/exit') break;
    if (text === '/help') {
      terminal.say(help);
    } else if (text === '/new') {
      [conversationId, startsAfresh] = [undefined, true];
      terminal.say('The next message starts a new conversation.');
    } else if (/^\/\w+$/.test(text)) {
      terminal.say(`There is no command ${text}: /help lists them.`);
      if (!terminal.isInteractive) exitCode = 1;
    } else {
      const message = messageOf(text.replace(/^\/\//, '/'));
      const result = await runTurn(message, start.bot.name, dependencies);
      if (result.conversationId) [conversationId, startsAfresh] = [result.conversationId, false];
      const hasLeft = result.outcome === 'left';
      // A person sees what happened and decides what to do. A pipe gets an exit code and ends after a stop, or after a pause,
      // because a paused turn accepts no messages.
      if (hasLeft || !terminal.isInteractive) exitCode = Math.max(exitCode, exitCodes[result.outcome]);
      const endsPipe = result.outcome === 'interrupted' || result.outcome === 'paused';
      if (hasLeft || (endsPipe && !terminal.isInteractive)) break;
    }
  }
  if (conversationId) terminal.say(`To continue: ${commandToGoOn(start, conversationId)}`);
  return exitCode;

  function messageOf(text: string): SendMessage {
    return {
      bot_id: start.bot.id,
      message: text,
      external_user_id: start.user,
      ...(conversationId && { conversation_id: conversationId }),
      ...(startsAfresh && { new_conversation: true }),
      ...(start.machineId !== undefined && { code_machine_id: start.machineId }),
      ...(start.workdir !== undefined && { code_workdir: start.workdir }),
    };
  }
}

function commandToGoOn({ bot, user, machineId, workdir }: Conversing, conversationId: string): string {
  const options = [
    ...(user === 'terminal' ? [] : ['--user', quoted(user)]),
    ...(machineId === undefined ? [] : ['--machine', machineId]),
    ...(workdir === undefined ? [] : ['--workdir', quoted(workdir)]),
  ];
  return ['svc chat', quoted(bot.name), ...options, '--conversation', conversationId].join(' ');
}

/** Quoted for a shell, if necessary. */
function quoted(word: string): string {
  return /^[\w.@/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
