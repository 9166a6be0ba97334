import { describe, expect, it } from 'vitest';
import { readResult } from './results.ts';

const limit = 64 * 1024;
const bytes = (value: unknown) =>
  Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));

describe('the result of list_files', () => {
  const entries = [
    { path: 'src', type: 'directory' },
    { path: 'a.ts', type: 'file', size: 12 },
    { path: 'now', type: 'link' },
  ];

  it('has a line for each entry', () => {
    expect(readResult('list_files', { entries, truncated: false })).toEqual({
      status: 'ok',
      content: 'src/\na.ts (12 bytes)\nnow (link)',
      result: { entries, truncated: false },
    });
    expect(readResult('list_files', { entries: [], truncated: false }).content).toBe('Nothing was found.');
  });

  it('is bounded, and says so', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ path: `folder/${index}`, type: 'file' }));
    const { content, result } = readResult('list_files', { entries: many, truncated: false });
    expect(bytes(content)).toBeLessThan(limit + 200);
    expect(content).toContain('There are more');
    expect(result).toMatchObject({ truncated: true });
    expect((result as { entries: unknown[] }).entries.length).toBe(content.split('\n').length - 1);
  });
});

describe('the result of read_file', () => {
  const file = {
    path: 'a.ts',
    text: 'x\ny\n',
    start_line: 3,
    end_line: 4,
    total_lines: 9,
    size: 30,
    truncated: false,
  };

  it('names the lines, then has the text as it is', () => {
    expect(readResult('read_file', file)).toEqual({
      status: 'ok',
      content: 'a.ts, lines 3 to 4 of 9.\nx\ny\n',
      result: file,
    });
  });

  it('says where to continue', () => {
    expect(readResult('read_file', { ...file, truncated: true }).content).toMatch(
      /continue with start_line 5\.\n/,
    );
  });

  it('says that a file is empty', () => {
    const empty = { ...file, text: '', start_line: 1, end_line: 0, total_lines: 0, size: 0 };
    expect(readResult('read_file', empty).content).toBe('a.ts is empty.\n');
  });

  it('is bounded, and continues with the line that was cut', () => {
    const text = 'ä'.repeat(49).concat('\n').repeat(1000);
    const long = { ...file, text, start_line: 1, end_line: 1000, total_lines: 1000, size: 1 };
    const { content, result } = readResult('read_file', long);
    expect(bytes(content)).toBeLessThan(limit + 200);
    const whole = Math.floor(limit / 99);
    expect(content).toContain(
      `lines 1 to ${whole} of 1000. This is not all: continue with start_line ${whole + 1}.`,
    );
    expect(result).toMatchObject({ end_line: whole, truncated: true });
    expect(content.endsWith('ä\n')).toBe(true);
  });

  it('of one endless line does not go backwards', () => {
    const long = { ...file, text: 'x'.repeat(limit * 2), start_line: 3, end_line: 3, total_lines: 3 };
    expect(readResult('read_file', long).content.slice(0, 50)).toMatch(/^a.ts, the beginning of line 3 of 3/);
  });
});

describe('the result of search', () => {
  it('has a line for each match, bounded', () => {
    const matches = [{ path: 'a.ts', line: 3, text: 'x' }];
    expect(readResult('search', { matches, truncated: true, engine: 'ripgrep' })).toMatchObject({
      status: 'ok',
      content: expect.stringMatching(/^a.ts:3: x\nThere are more/),
      result: { matches, truncated: true, engine: 'ripgrep' },
    });
    const huge = Array.from({ length: 500 }, () => ({ path: 'a', line: 1, text: 'x'.repeat(5000) }));
    const { content, result } = readResult('search', { matches: huge, truncated: false, engine: 'built-in' });
    expect(bytes(content)).toBeLessThan(limit + 200);
    expect(bytes(result)).toBeLessThan(2 * limit);
  });
});

describe('the result of a change', () => {
  it('names the files for the model, and shows readers the diff, bounded', () => {
    const files = [
      { path: 'a', action: 'modified', added_lines: 2, removed_lines: 1, diff: '+x'.repeat(limit) },
      { path: 'b', action: 'created', added_lines: 1, removed_lines: 0, diff: '+y' },
    ];
    const { content, result } = readResult('apply_patch', { files });
    expect(content).toBe('a: modified (+2 -1 lines)\nb: created (+1 -0 lines)');
    expect(bytes(result)).toBeLessThan(limit + 500);
  });
});

describe('the result of a command', () => {
  const end = {
    command: 'npm test',
    cwd: '/srv/x',
    exit_code: 1,
    signal: null,
    timed_out: false,
    output: '\u001B[31mfailed\u001B[0m\n',
    output_bytes: 16,
    omitted_bytes: 0,
    duration_ms: 1234,
    sandbox: 'none',
  };

  it('starts with the exit code, and is not an error of the tool', () => {
    expect(readResult('run_command', end)).toEqual({
      status: 'ok',
      content: 'Exit code 1 after 1.2 s.\nfailed\n',
      result: { ...end, output: 'failed\n' },
    });
    expect(readResult('run_command', { ...end, output: '' }).content).toMatch(/\nIt printed nothing\.$/);
  });

  it.each([
    [
      'a time limit',
      { exit_code: null, signal: 'SIGKILL', timed_out: true },
      /time limit.*time_limit_seconds/,
    ],
    ['a signal', { exit_code: null, signal: 'SIGSEGV' }, /^Ended by SIGSEGV/],
  ])('is an error after %s', (_what, over, expected) => {
    const { status, content } = readResult('run_command', { ...end, ...over });
    expect({ status, content }).toEqual({ status: 'error', content: expect.stringMatching(expected) });
  });

  it('keeps both ends of long output', () => {
    const output = `first${'x'.repeat(1_000_000)}last`;
    const { content } = readResult('run_command', {
      ...end,
      output,
      output_bytes: 9_000_000,
      omitted_bytes: 8,
    });
    expect(bytes(content)).toBeLessThan(limit + 300);
    expect(content).toMatch(/^Exit code 1 .* 9000000 bytes .*\nfirstx/);
    expect(content).toMatch(/bytes left out …\nx+last$/);
  });
});
