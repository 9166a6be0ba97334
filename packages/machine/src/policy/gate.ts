import { realpath } from 'node:fs/promises';
import { isAllowedCommand } from '@svc/contract/allowed-commands';
import {
  type Confirmation,
  changeNames,
  type OperationFrame,
  type OperationName,
  type PolicyLevel,
  type Preview,
} from '@svc/contract/machine-protocol';
import { isSensitivePath } from '@svc/contract/sensitive-path';
import type { Questions } from './questions.ts';

/** What the owner chose on the command line. Nothing that the service sends can change it. */
export interface Policy {
  level: PolicyLevel;
  confirmation: Confirmation;
  /** Commands that run unasked, with `allow-listed`, where the working directory is a root. */
  allowedCommands: readonly string[];
  /** Files are changed unasked, with `allow-listed`. */
  allowsEdits: boolean;
  /** All commands have access to the network, so that none has to ask for it. */
  allowsNetwork?: boolean;
}

/**
 * `isApproved`: a person has agreed to exactly this operation. `workdir`: where it runs, whatever becomes of a link by which the
 * service named that folder.
 */
export type Admission = { isApproved: boolean; workdir?: string } | { refusal: string };
export type Admit = (frame: OperationFrame, signal: AbortSignal) => Promise<Admission>;

/**
 * Lets through what the policy allows, and asks at the machine where that is how things are confirmed. The roots are real paths.
 */
export function createGate(
  policy: Policy,
  roots: readonly string[],
  questions: Questions | undefined,
): Admit {
  return async (frame, signal) => {
    const needs = needsOf(policy, frame);
    if (needs === 'reading only') return { refusal: readOnly };
    if (needs === 'a root') {
      // A folder that cannot be resolved is not a root.
      const workdir = await realpath(frame.workdir).catch(() => undefined);
      if (workdir !== undefined && roots.includes(workdir)) return { isApproved: false, workdir };
    }
    if (policy.confirmation === 'service') {
      const isApproved = frame.approval !== undefined;
      return needs === 'nothing' || isApproved ? { isApproved } : { refusal: unapproved };
    }
    if (needs === 'nothing') return { isApproved: false };
    const answer = await questions?.ask(frame, signal);
    if (answer === true) return { isApproved: true };
    return { refusal: answer === 'too long' ? tooLong : refused };
  };
}

/** Pure: what has to happen before an operation may run. `a root`: a confirmation, unless its working directory is a root. */
function needsOf(
  policy: Policy,
  frame: OperationFrame,
): 'nothing' | 'a root' | 'confirmation' | 'reading only' {
  const { name, arguments: given } = frame;
  const isReadOnly = policy.level === 'read-only';
  if (name === 'preview')
    return isReadOnly && hasEffects((given as unknown as Preview).operation) ? 'reading only' : 'nothing';
  if (!hasEffects(name)) return readsSecrets(frame) ? 'confirmation' : 'nothing';
  if (isReadOnly) return 'reading only';
  if (policy.level !== 'allow-listed') return 'confirmation';
  if (isCommand(name) && given['network'] === true && !policy.allowsNetwork) return 'confirmation';
  if (isCommand(name)) return isAllowed(policy, given) ? 'a root' : 'confirmation';
  return policy.allowsEdits ? 'nothing' : 'confirmation';
}

/** By the path as it was sent; where links lead is checked when the file is opened. */
function readsSecrets({ name, arguments: { path } }: OperationFrame): boolean {
  return (name === 'read_file' || name === 'search') && typeof path === 'string' && isSensitivePath(path);
}

/** Only in the working directory itself: the same command can do something else in another folder. */
function isAllowed({ allowedCommands }: Policy, { command, path }: Record<string, unknown>): boolean {
  const isInWorkdir = path === undefined || path === '.';
  return isInWorkdir && typeof command === 'string' && isAllowedCommand(command, allowedCommands);
}

function hasEffects(name: OperationName): boolean {
  return isCommand(name) || name === 'revert' || changeNames.some((change) => change === name);
}

function isCommand(name: OperationName): boolean {
  return name === 'run_command' || name === 'start_process';
}

/** For the person who started the daemon. */
export function describePolicy({ level, confirmation, allowedCommands, allowsEdits }: Policy): string {
  if (level === 'read-only') return 'policy read-only: agents can read, and change or run nothing';
  const inRoots = allowedCommands.map((command) => `${command} (directly in a root)`);
  const unasked = [...(allowsEdits ? ['changes of files'] : []), ...inRoots];
  const free = level === 'allow-listed' && unasked.length > 0 ? `, except for: ${unasked.join('; ')}` : '';
  const asked =
    confirmation === 'terminal'
      ? 'this terminal asks before anything is changed or run'
      : 'nothing is changed or run unless the service says that a person approved it, which only the service can check';
  return `policy ${level}: ${asked}${free}`;
}

const readOnly = 'This machine lets agents only read: its owner started svc-machine with --policy read-only.';
const unapproved =
  'The owner of this machine requires that a person approves this first, and nobody did. The tool has to ask: set its approval to always.';
const tooLong =
  'A person at the machine has to allow this first, and it is too long to be shown there as a whole, so nothing was done. Split it into smaller steps.';
const refused = 'The person at the machine did not allow this, so nothing was done.';
