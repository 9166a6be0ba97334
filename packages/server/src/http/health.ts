import { Type } from 'typebox';
import { AppError } from '../app-error.ts';
import type { HttpApp } from './http-app.ts';
import { operation } from './operation.ts';

const Health = Type.Object({ status: Type.Literal('ok') });

/** `isReady` resolves to whether the database answers right now. */
export function healthRoutes(app: HttpApp, { isReady }: { isReady: () => Promise<boolean> }): void {
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
      schema: { response: { 200: Health } },
    }),
    async () => {
      if (!(await isReady())) throw new AppError('NOT_READY');
      return { status: 'ok' as const };
    },
  );
}
