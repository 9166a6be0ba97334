import type { Approval, ApprovalContext } from '@svc/contract/approvals';
import { expect, it } from 'vitest';
import { approvalLines } from './approval-text.ts';

const columns = 40;
const long = `${' '.repeat(60)}Support asks: may it call nothing? 天気${'x'.repeat(90)}\t\t\t\t\t\tend`;
const contexts: ApprovalContext[] = [
  { kind: 'call', summary: long },
  { kind: 'command', command: long, cwd: long, machine: long },
  { kind: 'diff', path: long, diff: `+${long}\n-${long}` },
];
const ours =
  /^(?:Support asks: may it call refund\? .*|Call:|Command:|Change to:|Difference:|Arguments:|In the folder, on the machine:)$/;

it.each(contexts)('marks every row of a $kind that a terminal shows', (context) => {
  const approval = {
    tool_name: 'refund',
    context,
    arguments: { text: long },
    expires_at: new Date(3_600_000).toISOString(),
  } as unknown as Approval;
  const lines = approvalLines({ approval, botName: 'Support', place: '', now: new Date(0), columns });
  const rows = lines.map(({ text }) => text);
  for (const row of rows) {
    expect(row.startsWith('  │ ') || ours.test(row)).toBe(true);
    // Tabs at most 8 cells, and these wide characters 2.
    const cells = row.replaceAll('\t', ' '.repeat(8)).replaceAll(/[天気]/g, 'ww').length;
    expect(cells).toBeLessThan(columns);
  }
  const joined = rows.map((row) => row.slice(4));
  expect(joined.join('')).toContain(long.trim());
});

it('shows the fields that a question of a tool has, and no arguments', () => {
  const approval = {
    tool_name: 'search',
    context: { kind: 'call', summary: 'search asks: Which account?' },
    arguments: {},
    arguments_schema: {
      type: 'object',
      properties: {
        account: { type: 'string', description: 'Its number' },
        kind: { enum: ['a', 'b'] },
      },
      required: ['account'],
    },
    is_question: true,
    expires_at: new Date(3_600_000).toISOString(),
  } as unknown as Approval;
  const shown = { approval, botName: 'Support', place: '', now: new Date(0), columns: 100 };
  expect(approvalLines(shown).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^search needs an answer\. \(.* left to answer\)$/),
    'Question:',
    '  │ search asks: Which account?',
    'Fields of the answer:',
    '  │ account (string, required): Its number',
    '  │ kind (one of ["a","b"], optional)',
  ]);
});
