import { expect, it } from 'vitest';
import { approvalTitle } from './approval-title.ts';

const call = { kind: 'call', summary: 'POST https://shop.example.com/refunds' } as const;
const argumentsSchema = { properties: { amount: { default: 99 }, order_id: true } };
const title = (
  titleTemplate: string | null,
  given: Record<string, unknown>,
  editedArguments: Record<string, unknown> | null = null,
) =>
  approvalTitle({
    title_template: titleTemplate,
    context: call,
    arguments: given,
    arguments_schema: argumentsSchema,
    edited_arguments: editedArguments,
  });

it('puts the arguments into the sentence', () => {
  const refund = 'Refund {{amount}} on order {{ order_id }}';
  expect(title(refund, { amount: 12.5, order_id: 'A-17' })).toBe('Refund 12.5 on order A-17');
  expect(title(refund, { amount: null })).toBe('Refund — on order —');
  expect(title(refund, { order_id: ' ' })).toBe('Refund 99 on order —');
  expect(title('{{items}}, {{constructor}}', { items: [1, { a: 'b' }] })).toBe('[1,{"a":"b"}], —');
});

it('has the arguments that a person changed', () => {
  expect(title('Refund {{amount}}', { amount: 120 }, { amount: 20 })).toBe('Refund 20');
});

it('is one short line, whatever a model writes', () => {
  expect(title('Say {{text}}', { text: 'a\nb\u2028 c' })).toBe('Say a b c');
  expect(title('Say {{text}}', { text: '{{text}}' })).toBe('Say {{text}}');
  const long = title('Say {{text}}', { text: '😀'.repeat(1_000) });
  expect(long).toBe(`Say ${'😀'.repeat(39)}…`);
  // What is left out is never hidden by white space.
  const padded = { text: `thank you${' '.repeat(400)}and their password` };
  expect(title('Say {{text}}', padded)).toBe('Say thank you…');
  expect(title('Say {{text}}', { text: `${' '.repeat(400)}x` })).toBe('Say …');
  expect(title('Say {{text}}', { text: `a${' '.repeat(318)}😀` })?.isWellFormed()).toBe(true);
  expect(title('{{a}}'.repeat(10), { a: 'x'.repeat(100) })).toHaveLength(240);
});

it('says what happens on machines without a template', () => {
  const none = { title_template: null, arguments: {}, arguments_schema: {}, edited_arguments: null };
  const diff = { kind: 'diff', path: 'src/a.ts', diff: '+x' } as const;
  const command = { kind: 'command', command: 'npm test', cwd: '/shop', machine: 'laptop' } as const;
  expect(approvalTitle({ ...none, context: diff })).toBe('Change src/a.ts');
  expect(approvalTitle({ ...none, context: command })).toBe('Run npm test');
  const edited_arguments = { command: 'npm run check' };
  expect(approvalTitle({ ...none, context: command, edited_arguments })).toBe('Run npm run check');
  expect(title(null, { a: 1 })).toBeNull();
});
