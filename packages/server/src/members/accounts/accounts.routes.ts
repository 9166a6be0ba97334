import { Message } from '@svc/contract/common';
import { PasswordReset, ProfileUpdate, SetUp } from '@svc/contract/console-session';
import { personOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { setCookies } from '../../http/member.ts';
import { operationsOf } from '../../http/operation.ts';
import type { AccountService } from './accounts.service.ts';

const operation = operationsOf('Console');

export function accountRoutes(app: HttpApp, { accounts }: { accounts: AccountService }): void {
  app.post(
    '/api/console/setup',
    operation({
      ability: 'own_page',
      id: 'setUpConsole',
      summary: 'Create the first account with the set-up link, and sign in',
      schema: { body: SetUp, response: { 200: Message } },
      errors: ['FORBIDDEN', 'RATE_LIMITED'],
    }),
    async (request, reply) => {
      const { body, headers, ip: address } = request;
      setCookies(reply, await accounts.setUp(body, { headers, address }));
      return { message: 'Your account was created.' };
    },
  );

  app.post(
    '/api/console/reset',
    operation({
      ability: 'own_page',
      id: 'resetPassword',
      summary: 'Set a new password with a link, and sign in',
      description: 'Ends all other sessions of the person.',
      schema: { body: PasswordReset, response: { 200: Message } },
      errors: ['FORBIDDEN', 'RATE_LIMITED'],
    }),
    async (request, reply) => {
      const { body, headers, ip: address } = request;
      setCookies(reply, await accounts.reset(body, { headers, address }));
      return { message: 'Your password was changed.' };
    },
  );

  app.patch(
    '/api/console/profile',
    operation({
      ability: 'session',
      role: null,
      id: 'updateProfile',
      summary: 'Change your name or password',
      description: 'A new password needs the current one, and ends your other sessions.',
      schema: { body: ProfileUpdate, response: { 200: Message } },
    }),
    async (request) => {
      await accounts.updateProfile(personOf(request), request.body);
      return { message: 'Your profile was changed.' };
    },
  );
}
