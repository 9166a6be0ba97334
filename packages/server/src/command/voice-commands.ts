import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { voiceInstallScript } from '../lib/installation.ts';

export function voiceCommands(program: Command): void {
  const voice = program.command('voice').description('set up speech that needs no key');

  voice
    .command('install')
    .description('install the programs that speak and the model that listens, and try them')
    // The script says how it went and sets the exit code.
    .action(async () => void (await import(pathToFileURL(voiceInstallScript).href)));
}
