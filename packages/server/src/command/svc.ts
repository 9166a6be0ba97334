import { Command, CommanderError } from 'commander';
import { actAs } from '../lib/actor.ts';
import { explainError } from '../processes/explain-error.ts';
import { botCommands } from './bot-commands.ts';
import { chatCommand } from './chat/chat-command.ts';
import { jobCommands } from './job-commands.ts';
import { keyCommands } from './key-commands.ts';
import { memberCommands } from './member-commands.ts';
import { numberCommands } from './number-commands.ts';
import { qualityCommands } from './quality-commands.ts';
import { secretCommands } from './secret-commands.ts';
import { workspaceCommands } from './workspace-commands.ts';

const program = new Command('svc')
  .description('Manages a svc installation. Works beside a running service and without one.')
  .showHelpAfterError('(add --help for more)')
  .exitOverride();
workspaceCommands(program);
keyCommands(program);
memberCommands(program);
numberCommands(program);
secretCommands(program);
botCommands(program);
jobCommands(program);
qualityCommands(program);
chatCommand(program);

try {
  await actAs({ type: 'command', id: null, name: null }, () => program.parseAsync());
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else {
    process.stderr.write(`${explainError(error)}\n`);
    process.exitCode = 1;
  }
}
