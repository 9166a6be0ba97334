import { OneOf, Strict } from '@svc/contract/common';
import { type ErrorCode, errorCodes } from '@svc/contract/errors';
import { findInexactNumber } from '@svc/contract/inexact-number';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import { recordNothing } from '../../idempotency/idempotency.service.ts';
import { actAs } from '../../lib/actor.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import { guardText } from '../../validation/text-guard.ts';
import { resolvers } from '../answered-by.ts';
import type { ApprovalRow } from '../approvals.service.ts';
import { isRecipient } from './approval-links.ts';
import {
  answeredPage,
  digestOf,
  maxEditedCharacters,
  type Problem,
  pagePolicy,
  questionPage,
  unknownPage,
} from './html.ts';

const operation = operationsOf('Approvals');
const html = 'text/html';
const form = 'application/x-www-form-urlencoded';
const maxFields = 10;
/** The page says what they say, and asks again. */
const showable: readonly ErrorCode[] = ['VALIDATION_FAILED', 'NOT_READY', 'FORBIDDEN'];
const TokenParams = Type.Object({ token: Type.String({ maxLength: 400 }) });

const AnswerForm = Strict({
  action: OneOf(['approve', 'approve_edited', 'deny']),
  text: Type.Optional(Type.String({ maxLength: 4000 })),
  edited_args: Type.Optional(Type.String({ maxLength: maxEditedCharacters, description: 'JSON.' })),
  shown: Type.Optional(Type.String({ maxLength: 100, description: 'A digest of what the page showed.' })),
});

export type ApprovalPageDependencies = Pick<Services, 'approvals' | 'clock' | 'links' | 'resolver'>;

/** The page behind a signed link: for a person with a phone and no account. */
export async function approvalPageRoutes(app: HttpApp, dependencies: ApprovalPageDependencies) {
  await app.register(async (scope) => {
    // Only the form is accepted here, no other content type.
    scope.removeAllContentTypeParsers();
    // Checked before the body is read, so that only people with a link can send one.
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

function pageRoutes(app: HttpApp, { approvals, resolver, links, clock }: ApprovalPageDependencies): void {
  async function find(token: string): Promise<{ row: ApprovalRow; sentTo: string | null } | undefined> {
    const link = links.read(token);
    const row = link && (await approvals.findLinked(link.approvalId));
    if (!row || !isRecipient(await approvals.noticeOf(row), link.sentTo)) return undefined;
    return { row, sentTo: link.sentTo };
  }

  /** The question while it is pending, otherwise its outcome. */
  async function show(reply: FastifyReply, row: ApprovalRow, problem?: Problem): Promise<FastifyReply> {
    if (row.status !== 'pending') return sendPage(reply, 200, answeredPage(row));
    // The sweep, or an answer, will store that it expired.
    if (row.expiresAt <= clock.now())
      return sendPage(reply, 200, answeredPage({ status: 'expired', reason: null }));
    const question = { row, ...(await approvals.surroundings(row)), now: clock.now() };
    return sendPage(reply, problem?.status ?? 200, questionPage(question, problem));
  }

  app.get(
    '/a/:token',
    operation({
      ability: 'none',
      id: 'showApprovalPage',
      summary: 'The page on which a person answers an approval',
      description: 'Reached by a signed link, without a key.',
      produces: html,
      schema: { params: TokenParams, response: { 200: Type.String() } },
    }),
    async (request, reply) => {
      const found = await find(request.params.token);
      if (!found) return sendPage(reply, 404, unknownPage());
      return show(reply, found.row);
    },
  );

  app.post(
    '/a/:token',
    operation({
      ability: 'none',
      id: 'submitApprovalPage',
      summary: 'A person answers an approval',
      produces: html,
      consumes: form,
      schema: { params: TokenParams, body: AnswerForm, response: { 200: Type.String() } },
    }),
    async (request, reply) => {
      const found = await find(request.params.token);
      if (!found) return sendPage(reply, 404, unknownPage());
      const { row, sentTo } = found;
      const { action, text, edited_args: edited, shown } = request.body;
      const refusal = refusalOf(row, action, shown);
      if (refusal) return show(reply, row, refusal);
      try {
        const answer = {
          action,
          ...(action === 'deny' && text && { text }),
          ...(action === 'approve_edited' && { edited_args: parseArguments(edited ?? '') }),
        };
        await actAs({ type: 'link', id: null, name: sentTo }, () =>
          resolver.respond(row.workspaceId, row.id, answer, resolvers.link, recordNothing),
        );
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (showable.includes(error.code)) {
          const { status } = errorCodes[error.code];
          return show(reply, row, {
            status,
            message: error.message,
            ...(edited !== undefined && { edited }),
          });
        }
        // Answered by another person, or no longer valid: the page shows which.
        if (error.code !== 'ALREADY_RESOLVED' && error.code !== 'NOT_FOUND') throw error;
      }
      const current = await approvals.findLinked(row.id);
      return current ? show(reply, current) : sendPage(reply, 404, unknownPage());
    },
  );
}

/** A link answers what its page showed, and nothing else. */
function refusalOf(row: ApprovalRow, action: string, shown: string | undefined): Problem | undefined {
  if (action === 'approve_edited' && !row.linkEdit)
    return { status: 403, message: 'To change the arguments, sign in and answer in the console.' };
  if (shown === digestOf(row)) return undefined;
  return {
    status: 409,
    message: 'The page did not show this request as it is. Read it again before you answer.',
  };
}

/** URLSearchParams takes half a minute for a megabyte of `a&a&…`, so it is only given what our form can send. */
function readAnswerForm(body: string): Record<string, string> {
  const fields = body.split('&', maxFields + 1);
  if (fields.length > maxFields) {
    throw new AppError('VALIDATION_FAILED', { message: `The form has more than ${maxFields} fields.` });
  }
  return Object.fromEntries(new URLSearchParams(body));
}

function parseArguments(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('VALIDATION_FAILED', { message: 'The changed arguments are not a JSON object.' });
  }
  const inexact = findInexactNumber(text);
  if (inexact) {
    throw new AppError('VALIDATION_FAILED', { message: `${inexact} is too large to be kept exactly.` });
  }
  // The form was checked as text, but its JSON can contain escapes such as \u0000.
  guardText(value, 'edited_args');
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The page explains it.
  }
}

async function sendPage(reply: FastifyReply, status: number, page: string): Promise<FastifyReply> {
  return reply
    .code(status)
    .type(`${html}; charset=utf-8`)
    .headers({
      'content-security-policy': pagePolicy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .send(page);
}
