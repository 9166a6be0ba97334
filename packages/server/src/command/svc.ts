import { Command, CommanderError } from 'commander';
import { actAs } from '../lib/actor.ts';
import { explainError } from '../processes/explain-error.ts';
import { backupCommands } from './backup-commands.ts';
import { botCommands } from './bot-commands.ts';
import { chatCommand } from './chat/chat-command.ts';
import { jobCommands } from './job-commands.ts';
import { keyCommands } from './key-commands.ts';
import { withServices } from './lazily.ts';
import { memberCommands } from './member-commands.ts';
import { numberCommands } from './number-commands.ts';
import { qualityCommands } from './quality-commands.ts';
import { secretCommands } from './secret-commands.ts';
import { voiceCommands } from './voice-commands.ts';
import { workspaceCommands } from './workspace-commands.ts';

let isStart = false;
const program = new Command('svc')
  .description('Manages a svc installation. Works beside a running service and without one.')
  .showHelpAfterError('(add --help for more)')
  .exitOverride();
// The launcher bin/svc.mjs does this itself, as `npm start` does; here is its help.
program
  .command('start')
  .description('start the service; svc without a command does the same')
  .action(() => {
    isStart = true;
  });
program
  .command('migrate')
  .description('migrate the database and exit; starting the service does the same first')
  .action(async () => {
    await withServices(async () => undefined);
    process.stdout.write('The database is up to date.\n');
  });
workspaceCommands(program);
keyCommands(program);
memberCommands(program);
numberCommands(program);
secretCommands(program);
botCommands(program);
jobCommands(program);
backupCommands(program);
qualityCommands(program);
chatCommand(program);
voiceCommands(program);

try {
  await actAs({ type: 'command', id: null, name: null }, () => program.parseAsync());
  // Not as an action of the command: the service acts for many.
  if (isStart) await import('../main.ts');
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else {
    process.stderr.write(`${explainError(error)}\n`);
    process.exitCode = 1;
  }
}
