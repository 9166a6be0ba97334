import { Type } from 'typebox';
import { AppError } from '../lib/app-error.ts';
import type { HttpApp } from './http-app.ts';
import { operation } from './operation.ts';

const status = Type.Literal('ok');
const Health = Type.Object({ status });
const Readiness = Type.Object({
  status,
  notes: Type.Optional(
    Type.Array(Type.String(), { description: 'For operators: what is restricted at the moment, and why.' }),
  ),
});

/** `isReady`: whether the database answers right now. `notes`: what operators should know, although the service works. */
export function healthRoutes(app: HttpApp, isReady: () => Promise<boolean>, notes: () => string[]): void {
  app.get(
    '/healthz',
    operation({
      ability: 'none',
      tag: 'Service',
      id: 'getHealth',
      summary: 'Is the process alive?',
      schema: { response: { 200: Health } },
    }),
    () => ({ status: 'ok' as const }),
  );

  app.get(
    '/readyz',
    operation({
      ability: 'none',
      tag: 'Service',
      id: 'getReadiness',
      summary: 'Can it serve?',
      description: 'Ready means: the database answers and its migrations are applied.',
      schema: { response: { 200: Readiness } },
    }),
    async () => {
      if (!(await isReady())) throw new AppError('NOT_READY');
      const current = notes();
      return { status: 'ok' as const, ...(current.length > 0 && { notes: current }) };
    },
  );
}
