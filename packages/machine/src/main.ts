import { patternFault } from '@svc/contract/allowed-commands';
import { type Confirmation, confirmations, type PolicyLevel, policies } from '@svc/contract/machine-protocol';
import { Command, CommanderError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { checkKey, readConfig } from './config.ts';
import { connect } from './connect.ts';
import { parseServiceAddress } from './connection/service-address.ts';
import type { NetworkChoice } from './create-work.ts';
import { ExplainedError, explain } from './explained-error.ts';
import type { Policy } from './policy/gate.ts';
import { defaultStateFolder } from './state/state-folder.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { escapeText } from './terminal/escape-text.ts';
import { createTerminal } from './terminal/terminal.ts';
import { whoami } from './whoami.ts';

/** 0 after a signal; 1 when starting again would not help; this one for a fault of the daemon itself. */
const internalError = 70;

interface Access {
  url?: string;
  key?: string;
}

interface ConnectFlags extends Access {
  root: string[];
  state?: string;
  policy: PolicyLevel;
  confirm?: Confirmation;
  allow: string[];
  allowEdits: boolean;
  sandbox: boolean;
  showSecrets: boolean;
  allowNetwork?: NetworkChoice;
}

// The list of processes is open to all users of the machine, and --key would be in it.
process.title = 'svc-machine';

const url = () => new Option('--url <url>', 'the service; also SVC_URL (default: "http://127.0.0.1:3000")');
const key = () =>
  new Option('--key <key>', 'the machine key; better in SVC_MACHINE_KEY or SVC_MACHINE_KEY_FILE');

const program = new Command('svc-machine')
  .description('Lets agents of a svc service work in folders of this machine.')
  .version(manifest.version)
  .showHelpAfterError('(add --help for more)')
  .exitOverride();

program
  .command('connect')
  .description('Connects to the service and does what its agents ask for, until it is stopped.')
  .addOption(url())
  .addOption(key())
  .requiredOption('--root <folder...>', 'a folder that agents may work in; may be repeated')
  .option('--state <folder>', 'where the daemon keeps its records; also SVC_MACHINE_STATE')
  .addOption(new Option('--policy <level>', 'what agents may do at most').choices(policies).default('ask'))
  .addOption(
    new Option(
      '--confirm <where>',
      'who confirms what the policy asks about (default: this terminal, or the service if there is none)',
    ).choices(confirmations),
  )
  .option(
    '--allow <command>',
    'a command that runs unasked with --policy allow-listed, if the working directory is a --root itself; may be repeated',
    (command: string, before: string[]) => [...before, command],
    [],
  )
  .option('--allow-edits', 'lets agents change files unasked with --policy allow-listed', false)
  .option('--no-sandbox', 'lets commands run without a sandbox')
  .option('--show-secrets', 'lets sandboxed commands see files such as .env and keys', false)
  .addOption(
    new Option(
      '--allow-network [kind]',
      'lets sandboxed commands use the network; host: with what listens on 127.0.0.1 here',
    )
      .choices(['isolated', 'host'])
      .preset('isolated'),
  )
  .addHelpText(
    'after',
    '\nExample:\n  SVC_MACHINE_KEY=svc_mk_… svc-machine connect --url https://svc.example.com --root ~/shop ~/website',
  )
  .action(async (flags: ConnectFlags) => {
    const config = readConfig();
    const machineKey = checkKey(flags.key ?? config.key);
    const terminal = createTerminal(process.stdout, config);
    await connect(
      {
        address: parseServiceAddress(flags.url ?? config.url),
        key: machineKey,
        keyFile: config.keyFile,
        roots: flags.root,
        stateFolder: flags.state ?? config.stateFolder ?? defaultStateFolder(config, machineKey),
        policy: policyOf(flags),
        isSandboxed: flags.sandbox,
        network: flags.allowNetwork ?? 'none',
        showsSecrets: flags.showSecrets,
        version: manifest.version,
        environment: process.env,
      },
      terminal,
      stopOnSignals(),
    );
  });

program
  .command('whoami')
  .description('Shows which machine the key belongs to.')
  .addOption(url())
  .addOption(key())
  .action(async (flags: Access) => {
    const config = readConfig();
    const address = parseServiceAddress(flags.url ?? config.url);
    process.stdout.write(`${await whoami(address, checkKey(flags.key ?? config.key))}\n`);
  });

process.on('uncaughtException', (error) => {
  printFault(error);
  process.exit(internalError);
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else if (error instanceof ExplainedError) {
    process.stderr.write(`svc-machine: ${escapeText(error.message, 2000)}\n`);
    process.exitCode = 1;
  } else {
    printFault(error);
    process.exitCode = internalError;
  }
}

function policyOf({ policy: level, confirm, allow, allowEdits }: ConnectFlags): Policy {
  if (level !== 'allow-listed' && (allow.length > 0 || allowEdits))
    throw new ExplainedError('--allow and --allow-edits need --policy allow-listed.');
  const unclear = allow.find((command) => patternFault(command) !== undefined);
  if (unclear !== undefined)
    throw new ExplainedError(
      `--allow "${unclear}" must be plain words without shell syntax, such as "npm test", or "git log *" to allow any further plain words.`,
    );
  const isAtTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const confirmation = confirm ?? (isAtTerminal ? 'terminal' : 'service');
  return { level, confirmation, allowedCommands: allow, allowsEdits: allowEdits };
}

function printFault(error: unknown): void {
  const stack = error instanceof Error ? error.stack : undefined;
  process.stderr.write(`svc-machine: ${escapeText(explain(error), 2000)}\n${stack ?? ''}\n`);
}
