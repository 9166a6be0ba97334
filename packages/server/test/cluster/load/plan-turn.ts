import type { Choices } from '../choices.ts';
import type { Directive } from './directive.ts';

/** Chooses what the model does in a turn: how fast it writes, what it calls, and how it fails. */
export function planTurn(choices: Choices, tag: string): Directive {
  const steps = choices.pick([1, 1, 1, 2, 2, 3]);
  const calls = Array.from({ length: steps - 1 }, () =>
    choices.pick([['effect'], ['effect'], ['pay'], ['effect', 'effect'], ['pay', 'effect'], ['pay', 'pay']]),
  );
  const failures: Directive['failures'] = {};
  if (choices.chance(0.15)) {
    failures[choices.between(0, steps - 1)] = choices.pick(['limited', 'cut', 'unavailable']);
  }
  const words = Array.from({ length: steps }, () => choices.between(2, 60));
  return { tag, words, pace: choices.pick([0, 5, 20, 60]), calls, failures };
}
