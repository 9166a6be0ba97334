import { Message } from '@svc/contract/common';
import { ConsoleSession, SignIn } from '@svc/contract/console-session';
import type { HttpApp } from '../http/http-app.ts';
import { setCookies } from '../http/member.ts';
import { operationsOf } from '../http/operation.ts';
import type { Services } from '../services.ts';

const operation = operationsOf('Console');

export function memberRoutes(app: HttpApp, { members }: Pick<Services, 'members'>): void {
  app.get(
    '/api/console/session',
    operation({
      ability: 'own_page',
      id: 'getConsoleSession',
      summary: 'Read who is signed in to the console',
      schema: { response: { 200: ConsoleSession } },
      errors: ['FORBIDDEN'],
    }),
    async (request, reply) => {
      const { session, cookies } = await members.describeSession(request.headers);
      setCookies(reply, cookies);
      return session;
    },
  );

  app.post(
    '/api/console/sign-in',
    operation({
      ability: 'own_page',
      id: 'signIn',
      summary: 'Sign in to the console',
      description:
        'Attempts are limited: after 10 within 15 minutes for one email from one network the answer is 429, with `Retry-After`. A browser in which the person has signed in before has a cookie that says so, and is counted on its own.',
      schema: { body: SignIn, response: { 200: Message } },
      errors: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED'],
    }),
    async (request, reply) => {
      const { body, headers, ip: address } = request;
      setCookies(reply, await members.signIn(body, { headers, address }));
      return { message: 'You are signed in.' };
    },
  );

  app.post(
    '/api/console/sign-out',
    operation({
      ability: 'own_page',
      id: 'signOut',
      summary: 'Sign out of the console',
      description: 'Ends the session, and the sockets and streams that it opened.',
      schema: { response: { 200: Message } },
      errors: ['FORBIDDEN'],
    }),
    async (request, reply) => {
      setCookies(reply, await members.signOut(request.headers));
      return { message: 'You are signed out.' };
    },
  );
}
