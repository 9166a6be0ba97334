import { isAllowedCommand } from '@svc/contract/allowed-commands';
import { isSensitivePath } from '@svc/contract/sensitive-path';
import { compileCheck } from '../../../validation/checker.ts';
import { defineFunction } from '../../define-function.ts';
import type { CodeTarget, ConfiguredTool, ToolFunction, ToolType } from '../../tool-type.ts';
import {
  asks,
  type CodingConfiguration,
  checkConfiguration,
  configurationSchema,
  presets,
  readConfiguration,
} from './coding-configuration.ts';
import { codeTargetOf } from './coding-target.ts';
import type { MachineWork } from './machine-work.ts';
import { type CodingOperation, operations } from './operations.ts';
import { describeOperation, performOperation } from './perform-operation.ts';
import { presentPlan } from './present-plan.ts';
import { todoFunction } from './todo-list.ts';

const checkTest = compileCheck<{ code_machine_id?: string; code_workdir?: string }>({
  type: 'object',
  properties: { code_machine_id: { type: 'string' }, code_workdir: { type: 'string' } },
  additionalProperties: false,
});

type Given = Record<string, unknown>;

/** A tool that works in a directory of a paired machine. */
export function createCodingType({ machines }: { machines: MachineWork }): ToolType {
  return {
    type: 'coding',
    name: 'Work on code',
    description: 'Reads, searches and changes files and runs commands in a directory of a paired machine.',
    configurationSchema,
    readOnly: false,
    needsNoConfiguration: true,
    presets,
    checkConfiguration,
    asks,
    codeTargetOf: (configuration) => codeTargetOf(configuration),

    /** Without the machine, so that the list is the same while it is offline. */
    async functions(tool, _signal, options) {
      const target = codeTargetOf(tool.configuration, options?.codeTarget);
      const offered = operations.map((operation) => toFunction(operation, tool, target, machines));
      return [...offered, todoFunction, ...(options?.planning ? [presentPlan(options.planning)] : [])];
    },

    /** Lists the directory. What the configuration leaves blank is given as it is with a message. */
    testCall(parameters) {
      const { code_machine_id: machineId = '', code_workdir: workdir = '' } = checkTest(
        parameters,
        'parameters',
      );
      return { key: 'list_files', given: {}, options: { codeTarget: { machineId, workdir } } };
    },
  };
}

function toFunction(
  operation: CodingOperation,
  tool: ConfiguredTool,
  target: CodeTarget,
  machines: MachineWork,
): ToolFunction {
  const settings = readConfiguration(tool.configuration);
  const { name, kind, parameters, check } = operation;
  const approvals = {
    read: settings.approval_reads,
    change: settings.approval_writes,
    command: settings.approval_commands,
    process: 'never' as const,
  };
  return defineFunction<Given>({
    name,
    description: [operation.description, describePlace(tool, target)].filter(Boolean).join('\n\n'),
    parameters,
    approval: approvals[kind],
    approvalOf(given) {
      if (kind === 'command') return approvalOfCommand(given, settings);
      return mayShowSecrets(operation, given) ? 'always' : approvals[kind];
    },
    isResumable: true,
    // A test must see the edit before it.
    ...(kind === 'read' || kind === 'process' ? { readOnly: true as const } : { inOrder: true as const }),
    check,
    describeCall: (given, context) =>
      describeOperation({ operation, given, tool, target, machines }, context),
    run: (given, run) => performOperation({ operation, given, tool, target, machines }, run),
  });
}

/** The machine refuses these too, unless they were approved. Searches of folders leave such files out. */
function mayShowSecrets({ name }: CodingOperation, { path }: Given): boolean {
  return name !== 'list_files' && name !== 'glob' && typeof path === 'string' && isSensitivePath(path);
}

/** Patterns apply in the working directory only: the same command can do something else in another folder. */
function approvalOfCommand(
  { command, path, network }: Given,
  { approval_commands: approval, allowed_commands: patterns }: CodingConfiguration,
): 'never' | 'always' {
  if (network === true) return 'always';
  const isInWorkdir = path === undefined || path === '.';
  const isAllowed = typeof command === 'string' && isInWorkdir && isAllowedCommand(command, patterns);
  return isAllowed ? 'never' : approval;
}

/** Distinguishes the functions of several coding tools, which have the same names but for a number. */
function describePlace({ id, name, description }: ConfiguredTool, { workdir }: CodeTarget): string {
  const directory = workdir === undefined ? '' : `The working directory is ${workdir}.`;
  return id === undefined
    ? directory
    : [`This is for the project ${name}.`, directory, description].filter(Boolean).join(' ');
}
