import type { SendMessage } from '@svc/contract/chat';
import { type CommandOutcome, help, isCommand, runCommand } from './chat-commands.ts';
import type { FoundBot } from './find-bot.ts';
import { type ChatDependencies, describe, runTurn, type TurnResult } from './run-turn.ts';

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
/** Sends line after line until the input ends. Returns the exit code. */
export async function converse(start: Conversing, dependencies: ChatDependencies): Promise<number> {
  const { terminal, client } = dependencies;
  let { conversationId, startsAfresh } = start;
  let mode: SendMessage['code_mode'];
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
    } else {
      const command = isCommand(text) ? await carryOut(text) : undefined;
      if (command?.kind === 'failed' && !terminal.isInteractive) exitCode = 1;
      if (command?.kind === 'mode') ({ mode } = command);
      if (command && command.kind !== 'answer') continue;
      const result = await runTurn(
        command?.turn ?? { message: messageOf(text) },
        start.bot.name,
        dependencies,
      );
      if (result.conversationId) [conversationId, startsAfresh] = [result.conversationId, false];
      // Answering approvals sends no message: the mode is for the next one.
      if (result.conversationId && !command) mode = undefined;
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

  /** What the service refuses is said, and the chat continues. */
  async function carryOut(text: string): Promise<CommandOutcome> {
    try {
      const outcome = runCommand(text, { client, terminal, bot: start.bot, conversationId });
      if (outcome) return await outcome;
      terminal.say(`There is no command ${text}: /help lists them.`);
    } catch (error) {
      terminal.say(describe(error));
    }
    return { kind: 'failed' };
  }

  function messageOf(text: string): SendMessage {
    return {
      bot_id: start.bot.id,
      message: text.replace(/^\/\//, '/'),
      external_user_id: start.user,
      ...(conversationId && { conversation_id: conversationId }),
      ...(startsAfresh && { new_conversation: true }),
      ...(start.machineId !== undefined && { code_machine_id: start.machineId }),
      ...(start.workdir !== undefined && { code_workdir: start.workdir }),
      ...(mode && { code_mode: mode }),
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
