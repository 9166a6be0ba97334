import type { FieldError } from '@svc/contract/errors';
import type { KnowledgeCreate } from '@svc/contract/knowledge';
import { AppError } from '../lib/app-error.ts';
import type { NewKnowledge } from './knowledge.store.ts';

/** A new text or URL source. Throws everything that is wrong with it, by field. */
export function toNewSource(id: string, body: KnowledgeCreate): NewKnowledge & { botId: string | null } {
  const faults = faultsOf(body);
  const [first] = faults;
  if (first) {
    throw new AppError('VALIDATION_FAILED', { message: `${first.path} ${first.message}`, details: faults });
  }
  const {
    content_type: contentType,
    title,
    content = '',
    url = '',
    bot_id: botId = null,
    metadata = {},
  } = body;
  const shared = { id, botId, metadata, contentType, hasOwnTitle: title !== undefined };
  if (contentType === 'text') return { ...shared, title: title ?? '', content };
  return { ...shared, title: title ?? url, sourceUrl: url, requestedUrl: url };
}

function faultsOf({ content_type: contentType, title, content, url }: KnowledgeCreate): FieldError[] {
  const faults =
    contentType === 'text'
      ? {
          title: title === undefined ? missingFor('text') : ifBlank(title),
          content: content === undefined ? missingFor('text') : ifBlank(content),
          url: url !== undefined && 'is only for content_type url',
        }
      : {
          title: title !== undefined && ifBlank(title),
          content: content !== undefined && 'is only for content_type text',
          url: url === undefined ? missingFor('url') : ifHasCredentials(url),
        };
  return Object.entries(faults).flatMap(([path, message]) => (message ? [{ path, message }] : []));
}

function missingFor(contentType: string): string {
  return `is required for content_type ${contentType}`;
}

function ifBlank(text: string): string | false {
  return text.trim() === '' && 'must not be blank';
}

/** Everybody who may see the source would see credentials in its URL, and they would not be sent anyway. */
function ifHasCredentials(url: string): string | false {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  return (username !== '' || password !== '') && 'must not carry a user name or password';
}
