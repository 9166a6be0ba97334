import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { HttpApp } from '../../../http/http-app.ts';
import { operation } from '../../../http/operation.ts';
import type { OpenWebSockets } from '../../../http/web-sockets.ts';
import { AppError } from '../../../lib/app-error.ts';
import type { FormFields } from './twilio-signature.ts';
import {
  answeredPath,
  dialedPath,
  incomingPath,
  mediaPath,
  statusPath,
  type TwilioHooks,
} from './twilio-transport.ts';
import { announceTwiml } from './twiml.ts';

const tag = 'Voice';
const form = 'application/x-www-form-urlencoded';
const xml = 'text/xml';
const maxFormBytes = 64 * 1024;
const maxFields = 200;

/** Twilio sends 50 frames of about 350 bytes per second, and a few other messages. */
const socketLimits = {
  maxFrameBytes: 16 * 1024,
  // A second of our audio is about 20 KB; a peer that leaves more than a few unread is lost.
  maxUnreadBytes: 256 * 1024,
  framesPerSecond: 200,
  bytesPerSecond: 128 * 1024,
  pingEveryMs: 15_000,
};

const Sid = Type.String({ pattern: '^CA[0-9a-fA-F]{32}$', description: "Twilio's id of the call." });
const Text = Type.Optional(Type.String({ maxLength: 1000 }));
const CallQuery = Type.Object({ call_id: Type.Optional(Type.String({ format: 'uuid' })) });
const description = 'For Twilio, whose signature is checked. Other fields of the form are ignored.';

/** Requests are authenticated by Twilio's signature alone: see `TwilioHooks`. */
export async function twilioRoutes(
  app: HttpApp,
  { twilio, openWebSockets }: { twilio: TwilioHooks; openWebSockets: OpenWebSockets },
): Promise<void> {
  await app.register(async (scope) => {
    // Only the form is accepted here, no other content type.
    scope.removeAllContentTypeParsers();
    // Before the body is read: it costs nothing to refuse a request without a signature.
    scope.addHook('onRequest', async (request) => void signatureOf(request));
    scope.addContentTypeParser(form, { parseAs: 'string' }, async (request: FastifyRequest, body: string) => {
      const fields = readFields(body);
      if (!twilio.isSignedWebhook(signatureOf(request), request.url, fields)) throw unsigned();
      return Object.fromEntries([...fields].map(([name, [value = '']]) => [name, value]));
    });
    webhookRoutes(scope as unknown as HttpApp, twilio);
  });

  const accept = openWebSockets(socketLimits);
  app.get(
    mediaPath,
    operation({
      ability: 'none',
      tag,
      id: 'openTwilioStream',
      summary: 'Connect the audio of a call by WebSocket',
      description: 'For the media streams of Twilio, whose signature is checked.',
      schema: { response: { 101: Type.Null() } },
      webSocket: true,
    }),
    async (request, reply) => {
      if (!twilio.isSignedSocket(signatureOf(request), mediaPath)) throw unsigned();
      accept(request, reply, (peer) => twilio.openMedia(peer));
      return reply;
    },
  );
}

function webhookRoutes(app: HttpApp, twilio: TwilioHooks): void {
  const common = { ability: 'none', tag, description, consumes: form, bodyLimit: maxFormBytes } as const;
  const errors = ['FORBIDDEN' as const];

  app.post(
    incomingPath,
    operation({
      ...common,
      id: 'answerTwilioCall',
      summary: 'Somebody calls one of our numbers',
      produces: xml,
      errors,
      schema: {
        body: Type.Object({ CallSid: Sid, From: Text, To: Type.String({ maxLength: 200 }) }),
        response: { 200: Type.String() },
      },
    }),
    async (request, reply) => {
      const twiml = await twilio.incoming(request.body);
      return reply.type(`${xml}; charset=utf-8`).send(twiml);
    },
  );

  app.post(
    statusPath,
    operation({
      ...common,
      id: 'reportTwilioStatus',
      summary: 'How a call continues',
      errors,
      schema: {
        querystring: CallQuery,
        body: Type.Object({
          CallSid: Sid,
          CallStatus: Text,
          AnsweredBy: Text,
          SipResponseCode: Text,
          ErrorMessage: Text,
        }),
        response: { 204: Type.Null() },
      },
    }),
    async (request, reply) => {
      await twilio.status(request.query.call_id, request.body);
      return reply.code(204).send(null);
    },
  );

  app.post(
    answeredPath,
    operation({
      ...common,
      id: 'reportTwilioAnswer',
      summary: 'Whether a person or a machine has answered',
      errors,
      schema: {
        querystring: CallQuery,
        body: Type.Object({ CallSid: Sid, AnsweredBy: Text }),
        response: { 204: Type.Null() },
      },
    }),
    async (request, reply) => {
      const { call_id: callId } = request.query;
      if (callId !== undefined) await twilio.answered(callId, request.body);
      return reply.code(204).send(null);
    },
  );

  app.post(
    dialedPath,
    operation({
      ...common,
      id: 'reportTwilioTransfer',
      summary: 'What became of a transfer, or what to announce before it',
      produces: xml,
      errors,
      schema: {
        querystring: Type.Object({
          call_id: Type.String({ format: 'uuid' }),
          announce: Type.Optional(Type.String({ maxLength: 2_000 })),
          language: Type.Optional(Type.String({ maxLength: 10 })),
        }),
        body: Type.Object({ CallSid: Sid, CallStatus: Text, DialCallStatus: Text }),
        response: { 200: Type.String() },
      },
    }),
    async (request, reply) => {
      const { call_id: callId, announce, language = 'en-US' } = request.query;
      const twiml =
        announce === undefined
          ? await twilio.dialed(callId, request.body)
          : announceTwiml(announce, language);
      return reply.type(`${xml}; charset=utf-8`).send(twiml);
    },
  );
}

function signatureOf({ headers }: FastifyRequest): string {
  const signature = headers['x-twilio-signature'];
  if (typeof signature !== 'string' || signature === '') throw unsigned();
  return signature;
}

function unsigned(): AppError {
  return new AppError('FORBIDDEN', { message: 'The request is not signed by Twilio.' });
}

/** URLSearchParams takes half a minute for a megabyte of `a&a&…`, so it is given no more than Twilio sends. */
function readFields(body: string): FormFields {
  if (body.split('&', maxFields + 1).length > maxFields) {
    throw new AppError('VALIDATION_FAILED', { message: `The form has more than ${maxFields} fields.` });
  }
  const parameters = new URLSearchParams(body);
  return new Map([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}
