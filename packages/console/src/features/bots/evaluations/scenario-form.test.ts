import { describe, expect, it } from 'vitest';
import { emptyScenario, errorOfLine, newLine, readForm, toForm } from './scenario-form.ts';

const scenario = {
  name: 'A parcel that is late',
  turns: ['Where is order 4711?', 'And when?'],
  expected_facts: ['It is in Cologne.'],
  must_call: ['find_order'],
  must_not_call: ['refund_order', 'cancel_order'],
  stand_ins: [
    { function: 'find_order', arguments: { number: '4711' }, result: { place: 'Cologne' } },
    { function: 'weather', result: 'Rain.', is_error: true },
  ],
};

describe('a scenario', () => {
  it('comes back from the form as it was', () => {
    expect(readForm(toForm(scenario))).toEqual({ body: scenario, faults: new Map() });
  });

  it('leaves lines without text out', () => {
    const form = toForm(scenario);
    form.turns.push(newLine(' '));
    form.facts.unshift(newLine());
    expect(readForm(form).body).toMatchObject({
      turns: scenario.turns,
      expected_facts: scenario.expected_facts,
    });
  });

  it('needs arguments that are a JSON object', () => {
    const form = toForm(scenario);
    const [first] = form.standIns;
    if (first) first.arguments = '[1]';
    expect([...readForm(form).faults]).toEqual([
      ['stand_ins.0.arguments', 'must be a JSON object, or empty'],
    ]);
  });

  it('keeps a result that only looks like JSON as text', () => {
    const form = toForm({ ...emptyScenario, stand_ins: [{ function: 'count', result: '42' }] });
    expect(readForm(form).body.stand_ins).toEqual([{ function: 'count', result: '42' }]);
  });
});

it('finds the line that the service means, although empty ones were not sent', () => {
  const lines = [newLine(''), newLine('Hello'), newLine('x'.repeat(40_000))];
  const faults = new Map([['turns.1', 'must have at most 32000 characters']]);
  expect(lines.map((line) => errorOfLine(faults, 'turns', lines, line))).toEqual([
    undefined,
    undefined,
    'must have at most 32000 characters',
  ]);
});
