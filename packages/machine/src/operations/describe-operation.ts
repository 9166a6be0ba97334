import type {
  ChangedFiles,
  CommandEnd,
  OperationFrame,
  OperationName,
  Outcome,
  Preview,
  ProcessState,
  Revert,
  RevertedFiles,
} from '@svc/contract/machine-protocol';
import { escapeText } from '../terminal/escape-text.ts';

/** What is done, in a few words: `run npm test in /home/ada/shop`. */
export function describeOperation({ name, arguments: given, workdir }: OperationFrame): string {
  const what = describeCall(name, given);
  // Changes are found by their ids, wherever they were made.
  if (name === 'revert') return what;
  return `${what}${name === 'check_workdir' ? '' : ' in'} ${escapeText(workdir, 300)}`;
}

function describeCall(name: OperationName, given: Record<string, unknown>): string {
  const text = (field: string, maxCharacters = 200) => {
    const value = given[field];
    return escapeText(typeof value === 'string' ? value : '.', maxCharacters);
  };
  switch (name) {
    case 'check_workdir':
      return 'check the folder';
    case 'describe_project':
      return 'look at the project';
    case 'list_files':
      return `list ${text('path')}`;
    case 'read_file':
      return `read ${text('path')}`;
    case 'search':
      return `search for ${text('query')}`;
    case 'write_file':
      return `write ${text('path')}`;
    case 'edit_file':
      return `edit ${text('path')}`;
    case 'apply_patch':
      return 'apply a patch';
    case 'run_command':
      return `run ${text('command', 1000)}`;
    case 'start_process':
      return `start ${text('command', 1000)}`;
    case 'read_process':
      return `read the output of process ${text('process_id', 40)}`;
    case 'stop_process':
      return `stop process ${text('process_id', 40)}`;
    case 'preview': {
      const previewed = given as unknown as Partial<Preview>;
      return `preview: ${previewed.operation ? describeCall(previewed.operation, previewed.arguments ?? {}) : 'nothing'}`;
    }
    case 'revert': {
      const count = (given as unknown as Partial<Revert>).operation_ids?.length ?? 0;
      return `revert ${counted(count, 'change')}`;
    }
  }
}

export function describeOutcome(name: OperationName, outcome: Outcome): string {
  if (outcome.status === 'error') return `failed: ${escapeText(outcome.message)}`;
  if (outcome.status === 'unknown') return `outcome unknown: ${escapeText(outcome.message)}`;
  if (name === 'run_command') return describeCommandEnd(outcome.value as CommandEnd);
  if (name === 'start_process') return describeProcess(outcome.value as ProcessState);
  if (name === 'revert') return describeReverted(outcome.value as RevertedFiles);
  if (name === 'write_file' || name === 'edit_file' || name === 'apply_patch') {
    const { files } = outcome.value as ChangedFiles;
    return files.length > 0
      ? escapeText(files.map(({ action, path }) => `${action} ${path}`).join(', '))
      : 'ok';
  }
  return 'ok';
}

function describeCommandEnd({
  timed_out: timedOut,
  exit_code: code,
  signal,
}: Pick<CommandEnd, 'timed_out' | 'exit_code' | 'signal'>): string {
  if (timedOut) return 'ended at its time limit';
  return code === null ? `ended by ${escapeText(signal ?? 'a signal', 20)}` : `exit code ${code}`;
}

function describeProcess({ running, process_id: id, ...end }: ProcessState): string {
  return running ? `runs as process ${id}` : describeCommandEnd({ ...end, timed_out: false });
}

function describeReverted({ files }: RevertedFiles): string {
  const reverted = files.filter(({ outcome }) => outcome === 'restored' || outcome === 'deleted').length;
  return `${reverted} of ${counted(files.length, 'file')} reverted`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
