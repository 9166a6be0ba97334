import type { Outcome } from '@svc/contract/machine-protocol';
import { describe, expect, it } from 'vitest';
import { AppError, notFound } from '../../src/lib/app-error.ts';
import { createToolRegistry } from '../../src/tools/tool-registry.ts';
import type { Configuration, ListOptions, ToolRun } from '../../src/tools/tool-type.ts';
import { createCodingType } from '../../src/tools/types/coding/coding-type.ts';
import type { MachineRequest, MachineRun } from '../../src/tools/types/coding/machine-work.ts';

const machineId = '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea1';
const workdir = '/home/ada/shop';
const place = { machine_id: machineId, workdir };

/** A machine at the other end of the port, which answers as the test says. */
function playMachine(answer: (request: MachineRequest, run: MachineRun) => Promise<Outcome> | Outcome) {
  const requests: MachineRequest[] = [];
  const type = createCodingType({
    machines: {
      async perform(request, run) {
        requests.push(request);
        return answer(request, run);
      },
      requireUse: async () => ({ name: 'ada-laptop' }),
    },
  });
  return { type, requests };
}

const ok = (value: unknown): Outcome => ({ status: 'ok', value });
const run: ToolRun = {
  workspaceId: 'w',
  botId: 'b',
  conversationId: 'c',
  callId: 'call-1',
  signal: new AbortController().signal,
  onProgress: () => undefined,
};

async function functionsOf(
  type: ReturnType<typeof createCodingType>,
  configuration: Configuration = place,
  options?: ListOptions,
  id: string | undefined = 't',
) {
  createToolRegistry([type]).check(type, configuration);
  const tool = { id, workspaceId: 'w', name: 'Shop', description: 'The backend.', configuration };
  return type.functions(tool, run.signal, options);
}

async function functionOf(name: string, ...given: Parameters<typeof functionsOf>) {
  const found = (await functionsOf(...given)).find((one) => one.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
}

/** Calls a function of a machine that answers with this. */
async function call(
  name: string,
  given: Record<string, unknown>,
  outcome: Outcome,
  over: Partial<ToolRun> = {},
) {
  const { type } = playMachine(() => outcome);
  return (await functionOf(name, type)).run(given, { ...run, ...over });
}

describe('the functions', () => {
  it('are listed without the machine, and name their project and directory', async () => {
    const { type, requests } = playMachine(() => Promise.reject(new Error('offline')));
    const functions = await functionsOf(type);
    expect(functions.map(({ name }) => name)).toEqual([
      'list_files',
      'glob',
      'read_file',
      'search',
      'write_file',
      'edit_file',
      'apply_patch',
      'run_command',
      'start_process',
      'read_process',
      'stop_process',
      'update_todos',
    ]);
    expect(requests).toEqual([]);
    // The list of what is to do is not about a place.
    for (const { description, parameters, isResumable } of functions.slice(0, -1)) {
      expect(description).toContain(`This is for the project Shop. The working directory is ${workdir}.`);
      expect(isResumable).toBe(true);
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
      for (const schema of Object.values((parameters as { properties: object }).properties))
        expect(schema).toMatchObject({ description: expect.stringMatching(/\.$/) });
    }
  });

  it('are those of any bot without a configuration, with the directory of the turn', async () => {
    const { type } = playMachine(() => ok(null));
    const tool = { id: undefined, workspaceId: 'w', name: 'coding', description: '', configuration: {} };
    const [first] = await type.functions(tool, run.signal, { codeTarget: { workdir: '/srv/x' } });
    expect(first?.description).toMatch(/The working directory is \/srv\/x\.$/);
    const [second] = await type.functions(tool, run.signal);
    expect(second?.description).not.toContain('project Shop');
  });

  it('ask before changes and commands, as configured', async () => {
    const { type } = playMachine(() => ok(null));
    const approvals = async (configuration: Configuration) =>
      Object.fromEntries(
        (await functionsOf(type, configuration)).map(({ name, approval }) => [name, approval]),
      );
    expect(await approvals({})).toEqual({
      list_files: 'never',
      glob: 'never',
      read_file: 'never',
      search: 'never',
      write_file: 'always',
      edit_file: 'always',
      apply_patch: 'always',
      run_command: 'always',
      start_process: 'always',
      read_process: 'never',
      stop_process: 'never',
      update_todos: 'never',
    });
    expect(
      await approvals({ approval_reads: 'always', approval_writes: 'never', approval_commands: 'never' }),
    ).toMatchObject({ search: 'always', apply_patch: 'never', run_command: 'never' });
  });

  it('ask nobody about allowed commands in the working directory', async () => {
    const { type } = playMachine(() => ok(null));
    const { approvalOf } = await functionOf('run_command', type, {
      allowed_commands: ['npm test', 'git log *'],
    });
    expect(approvalOf?.({ command: 'npm test' })).toBe('never');
    expect(approvalOf?.({ command: 'git log -3', time_limit_seconds: 5 })).toBe('never');
    expect(approvalOf?.({ command: 'npm test', path: 'vendor/other' })).toBe('always');
    expect(approvalOf?.({ command: 'npm test; rm -rf /' })).toBe('always');
    expect(approvalOf?.({})).toBe('always');
    const free = await functionOf('run_command', type, { approval_commands: 'never' });
    expect(free.approvalOf?.({ command: 'rm -rf / || x' })).toBe('never');
  });

  it('always ask about the network, and say so to the person', async () => {
    const { type } = playMachine(() => ok({ cwd: workdir, basis: { cwd: workdir } }));
    const free = { ...place, approval_commands: 'never', allowed_commands: ['npm test'] };
    for (const name of ['run_command', 'start_process']) {
      const command = await functionOf(name, type, free);
      expect(command.approvalOf?.({ command: 'npm test' })).toBe('never');
      expect(command.approvalOf?.({ command: 'npm test', network: true })).toBe('always');
      const described = await command.describeCall?.({ command: 'npm ci', network: true }, run);
      expect(described).toMatchObject({
        context: { kind: 'command', command: 'npm ci', network: true },
        argumentsSchema: { properties: { network: { const: true } } },
      });
      const plain = await command.describeCall?.({ command: 'npm ci' }, run);
      expect(plain).toMatchObject({ context: { kind: 'command', command: 'npm ci' } });
      expect(JSON.stringify(plain)).not.toContain('network');
    }
  });

  it('start, read and stop processes in the background', async () => {
    const state = {
      process_id: 'a1b2c3d4',
      command: 'npm run dev',
      cwd: workdir,
      running: true,
      exit_code: null,
      signal: null,
      output: 'ready\n',
      omitted_bytes: 0,
      duration_ms: 1_000,
    };
    const started = await call('start_process', { command: 'npm run dev' }, ok(state));
    expect(started).toMatchObject({ content: 'Process a1b2c3d4 has run for 1.0 s and still runs.\nready\n' });
    const ended = { ...state, running: false, exit_code: 1, output: '' };
    expect(await call('read_process', { process_id: 'a1b2c3d4' }, ok(ended))).toMatchObject({
      status: 'ok',
      content: 'Process a1b2c3d4 is over. Exit code 1 after 1.0 s.\nIt printed nothing new.',
    });
    const gone: Outcome = { status: 'unknown', message: 'It is offline.' };
    expect(await call('start_process', { command: 'x' }, gone)).toMatchObject({ status: 'unknown' });
    expect(await call('stop_process', { process_id: 'a1b2c3d4' }, gone)).toMatchObject({ status: 'error' });
  });

  it('find files by their names with what every machine can do', async () => {
    const { type, requests } = playMachine(() =>
      ok({ entries: [{ path: 'src/a.ts', type: 'file' }], truncated: false }),
    );
    const glob = await functionOf('glob', type);
    expect(await glob.run({ pattern: '**/*.ts', path: 'src' }, run)).toMatchObject({ content: 'src/a.ts' });
    expect(requests).toMatchObject([{ name: 'list_files', arguments: { pattern: '**/*.ts', path: 'src' } }]);
    expect(await glob.run({}, run)).toMatchObject({ status: 'error' });
  });

  it('note what is to do without asking anybody, and without the machine', async () => {
    const { type, requests } = playMachine(() => Promise.reject(new Error('offline')));
    const update = await functionOf('update_todos', type);
    const todos = [
      { task: 'Read', status: 'done' },
      { task: 'Write', status: 'in_progress' },
      { task: 'Test', status: 'pending' },
    ];
    expect(update).toMatchObject({ approval: 'never', readOnly: true });
    expect(await update.run({ todos }, run)).toEqual({
      status: 'ok',
      content: '[x] Read\n[~] Write\n[ ] Test\n2 of 3 left.',
      result: { todos },
    });
    expect(await update.run({ todos: [{ task: 'Read', status: 'begun' }] }, run)).toMatchObject({
      status: 'error',
    });
    expect(requests).toEqual([]);
  });

  it('reject arguments that do not fit, without asking the machine', async () => {
    const { type, requests } = playMachine(() => ok(null));
    const read = await functionOf('read_file', type);
    expect(await read.run({ path: 'a', line: 3 }, run)).toMatchObject({ status: 'error' });
    expect(requests).toEqual([]);
  });
});

describe('the configuration', () => {
  const { type } = playMachine(() => ok(null));
  const check = (configuration: Configuration) => createToolRegistry([type]).check(type, configuration);

  it.each([
    {},
    { machine_id: '', workdir: '' },
    place,
    { workdir: 'C:\\code' },
    { workdir: '\\\\share\\code' },
  ])('accepts %j', (configuration) => {
    expect(check(configuration)).toEqual(configuration);
  });

  it.each([
    ['configuration.machine_id', { machine_id: 'ada-laptop' }],
    ['configuration.workdir', { workdir: 'shop' }],
    ['configuration.workdir', { workdir: '../shop' }],
    ['configuration.workdir', { workdir: '/a\nb' }],
    ['configuration.approval_writes', { approval_writes: 'sometimes' }],
    ['configuration.allowed_commands.1', { allowed_commands: ['npm test', 'npm test && x'] }],
    ['configuration.allowed_commands.0', { allowed_commands: ['*'] }],
    ['configuration.root', { root: '/' }],
  ])('rejects by %s', (path, configuration) => {
    const error = (() => {
      try {
        return check(configuration) && undefined;
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path }] });
  });
});

describe('the target', () => {
  const ofTurn = { machineId: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea2', workdir: '/srv/turn' };
  it.each([
    ['the configuration', place, ofTurn, { machineId, workdir }],
    ['the turn', {}, ofTurn, ofTurn],
    [
      'the turn, where the configuration is blank',
      { machine_id: '', workdir },
      ofTurn,
      { ...ofTurn, workdir },
    ],
  ])('comes from %s', async (_what, configuration, codeTarget, expected) => {
    const { type, requests } = playMachine(() => ok({ entries: [], truncated: false }));
    const list = await functionOf('list_files', type, configuration, { codeTarget });
    expect(await list.run({}, run)).toMatchObject({ status: 'ok' });
    expect(requests).toMatchObject([{ ...expected, name: 'list_files', workspaceId: 'w', botId: 'b' }]);
  });

  it.each([
    [{ workdir }, 'code_machine_id'],
    [{ machine_id: machineId }, 'code_workdir'],
  ])('that is incomplete is an error that says what to set: %j', async (configuration, field) => {
    const { type } = playMachine(() => ok(null));
    const write = await functionOf('write_file', type, configuration);
    const given = { path: 'a', content: '' };
    expect(await write.run(given, run)).toMatchObject({
      status: 'error',
      content: expect.stringContaining(field),
    });
    expect(await write.describeCall?.(given, run)).toEqual({ fault: expect.stringContaining(field) });
  });
});

describe('an operation', () => {
  it('has the id of its call when it has effects, and a new one when it only reads', async () => {
    const { type, requests } = playMachine(() => ({ status: 'error', message: 'No.' }));
    const basis = { files: [{ path: '/home/ada/shop/a', hash: null }] };
    await (await functionOf('write_file', type)).run({ path: 'a', content: '' }, { ...run, basis });
    await (await functionOf('read_file', type)).run({ path: 'a' }, run);
    await (await functionOf('read_file', type)).run({ path: 'a' }, run);
    expect(requests[0]).toMatchObject({ id: 'call-1', basis, timeLimitMs: 60_000 });
    expect(new Set(requests.map(({ id }) => id)).size).toBe(3);
  });

  it('says for whom it is done, even if it is only a preview', async () => {
    const { type, requests } = playMachine(() => ({ status: 'error', message: 'No.' }));
    const write = await functionOf('write_file', type);
    await write.describeCall?.({ path: 'a', content: '' }, run);
    expect(requests).toMatchObject([{ name: 'preview', botId: 'b', conversationId: 'c' }]);
  });

  it('passes on progress, the time limit and the signal', async () => {
    const shown: string[] = [];
    const { type, requests } = playMachine((_request, { onProgress, signal }) => {
      onProgress('one\0');
      signal.throwIfAborted();
      return ok({});
    });
    const command = await functionOf('run_command', type);
    const ended = AbortSignal.abort(new Error('stopped'));
    const given = { command: 'make', time_limit_seconds: 900 };
    await expect(
      command.run(given, { ...run, signal: ended, onProgress: (text) => void shown.push(text) }),
    ).rejects.toThrow('stopped');
    expect(shown).toEqual(['one\uFFFD']);
    expect(requests[0]?.timeLimitMs).toBe(900_000);
  });

  it.each([
    ['unpaired', () => notFound(), /not paired/],
    ['offline', () => new AppError('MACHINE_OFFLINE'), /not connected.*nothing was done/],
  ])('on a machine that is %s fails, and says what to do', async (_what, error, expected) => {
    const { type } = playMachine(() => Promise.reject(error()));
    const given = { path: 'a', content: '' };
    const write = await functionOf('write_file', type);
    expect(await write.run(given, run)).toMatchObject({
      status: 'error',
      content: expect.stringMatching(expected),
    });
    expect(await write.describeCall?.(given, run)).toEqual({ fault: expect.stringMatching(expected) });
  });

  it('passes on the error of the machine', async () => {
    const message = 'old_text occurs 2 times in a.ts: include more lines.';
    expect(
      await call('edit_file', { path: 'a', old_text: 'x', new_text: '' }, { status: 'error', message }),
    ).toEqual({ status: 'error', content: message, result: { error: message } });
  });

  it('of unknown outcome is unknown when it has effects', async () => {
    const outcome: Outcome = { status: 'unknown', message: 'The daemon crashed.' };
    const command = await call('run_command', { command: 'make' }, outcome);
    expect(command).toMatchObject({
      status: 'unknown',
      content: expect.stringMatching(/^The daemon crashed. It is/),
    });
    expect(await call('read_file', { path: 'a' }, outcome)).toMatchObject({ status: 'error' });
  });

  it.each([null, 1, {}, { files: 'x' }, { files: [{ path: 1 }] }])(
    'with a result that cannot be read, %j, is unknown when it has effects',
    async (value) => {
      const write = await call('write_file', { path: 'a', content: '' }, ok(value));
      expect(write).toMatchObject({ status: 'unknown', content: expect.stringContaining('cannot read') });
      const read = await call('read_file', { path: 'a' }, ok(value));
      expect(read).toMatchObject({ status: 'error', content: expect.stringContaining('cannot read') });
    },
  );
});

describe('the test of a tool', () => {
  it('lists its directory', async () => {
    const entries = [{ path: 'src', type: 'directory' }];
    const { type, requests } = playMachine(() => ok({ entries, truncated: false }));
    const tool = { id: 't', workspaceId: 'w', name: 'Shop', description: '', configuration: { workdir } };
    const given = { code_machine_id: machineId };
    const test = async (parameters: Record<string, unknown>) => {
      const { key, given: sent = {}, options } = type.testCall?.(parameters) ?? {};
      const functions = await type.functions(tool, run.signal, options);
      return functions.find(({ name }) => name === key)?.run(sent, run);
    };
    expect(await test(given)).toMatchObject({ status: 'ok', content: 'src/', result: { entries } });
    expect(requests).toMatchObject([{ machineId, workdir, name: 'list_files' }]);
    expect(await test({})).toMatchObject({ status: 'error' });
  });
});
