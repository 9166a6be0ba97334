import { OneOf, Strict } from '@svc/contract/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../app-error.ts';
import { operation } from '../../http/operation.ts';
import type { HttpApp } from '../../http/server.ts';
import type { ApprovalRow, ApprovalService } from '../service.ts';
import { answeredPage, pagePolicy, questionPage, unknownPage } from './html.ts';
import type { ApprovalLinks } from './links.ts';

const tag = 'Approvals';
const html = 'text/html';
const form = 'application/x-www-form-urlencoded';
const mostFields = 10;
const TokenParams = Type.Object({ token: Type.String({ maxLength: 200 }) });

const AnswerForm = Strict({
  action: OneOf(['approve', 'approve_edited', 'deny']),
  text: Type.Optional(Type.String({ maxLength: 4000 })),
  edited_args: Type.Optional(Type.String({ maxLength: 200_000, description: 'JSON.' })),
});

export interface ApprovalPageDependencies {
  approvals: ApprovalService;
  links: ApprovalLinks;
  now(): Date;
}

/** The page behind a signed link: for a person with a phone and no account. */
export async function approvalPageRoutes(
  app: HttpApp,
  dependencies: ApprovalPageDependencies,
): Promise<void> {
  await app.register(async (scope) => {
    // Nothing else that the service takes is taken here.
    scope.removeAllContentTypeParsers();
    // Before the body is read: only somebody who was sent a link is listened to.
    scope.addHook('onRequest', async (request, reply) => {
      const { token } = request.params as { token: string };
      if (dependencies.links.read(token) === undefined) return sendPage(reply, 404, unknownPage());
    });
    scope.addContentTypeParser(form, { parseAs: 'string' }, async (_request: FastifyRequest, body: string) =>
      readAnswerForm(body),
    );
    pageRoutes(scope as unknown as HttpApp, dependencies);
  });
}

function pageRoutes(app: HttpApp, { approvals, links, now }: ApprovalPageDependencies): void {
  async function find(token: string): Promise<ApprovalRow | undefined> {
    const id = links.read(token);
    return id === undefined ? undefined : approvals.findLinked(id);
  }

  app.get(
    '/a/:token',
    operation({
      ability: 'none',
      tag,
      summary: 'The page on which a person answers an approval',
      description: 'Reached by a signed link, without a key.',
      produces: html,
      schema: { params: TokenParams, response: { 200: Type.String() } },
    }),
    async (request, reply) => {
      const row = await find(request.params.token);
      if (!row) return sendPage(reply, 404, unknownPage());
      const isOpen = row.status === 'pending' && row.expiresAt > now();
      return sendPage(reply, 200, isOpen ? questionPage(row) : answeredPage(statusOf(row, now())));
    },
  );

  app.post(
    '/a/:token',
    operation({
      ability: 'none',
      tag,
      summary: 'A person answers an approval',
      produces: html,
      consumes: form,
      schema: { params: TokenParams, body: AnswerForm, response: { 200: Type.String() } },
    }),
    async (request, reply) => {
      const row = await find(request.params.token);
      if (!row) return sendPage(reply, 404, unknownPage());
      const { action, text, edited_args: edited } = request.body;
      try {
        const answer = await approvals.respond(
          row.workspaceId,
          row.id,
          {
            action,
            ...(action === 'deny' && text && { text }),
            ...(action === 'approve_edited' && { edited_args: parseArguments(edited ?? '') }),
          },
          'link',
        );
        return await sendPage(reply, 200, answeredPage(answer.status));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (error.code === 'ALREADY_RESOLVED') {
          const current = await approvals.findLinked(row.id);
          return sendPage(reply, 200, answeredPage(current?.status ?? row.status));
        }
        const problem = { message: error.message, ...(edited !== undefined && { edited }) };
        return sendPage(reply, 400, questionPage(row, problem));
      }
    },
  );
}

/** URLSearchParams takes half a minute for a megabyte of `a&a&…`, so it is only given what our form can send. */
function readAnswerForm(body: string): Record<string, string> {
  const fields = body.split('&', mostFields + 1);
  if (fields.length > mostFields) {
    throw new AppError('VALIDATION_FAILED', { message: `The form has more than ${mostFields} fields.` });
  }
  return Object.fromEntries(new URLSearchParams(body));
}

function statusOf(row: ApprovalRow, now: Date): string {
  return row.status === 'pending' && row.expiresAt <= now ? 'expired' : row.status;
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Told below, in the words of the page.
  }
  throw new AppError('VALIDATION_FAILED', { message: 'The changed arguments are not a JSON object.' });
}

async function sendPage(reply: FastifyReply, status: number, page: string): Promise<FastifyReply> {
  return reply
    .code(status)
    .type(`${html}; charset=utf-8`)
    .headers({ 'content-security-policy': pagePolicy, 'referrer-policy': 'no-referrer' })
    .send(page);
}
